import { type Comparison, compare, tally } from './chi-square.ts';

/**
 * Something that a player may see before a unit is decided, as a category. Of what a view holds many times, the number n
 * of the view says which one is looked at: so each view is one observation.
 */
export type Feature<View> = (view: View, n: number) => unknown;

/** How winning units would look if they gave themselves away; views of winning units only. */
export type Plant<View> = (views: readonly View[]) => readonly View[];

/** A feature and a leak that it has to find. */
export interface Watched<View> {
  readonly feature: Feature<View>;
  readonly plant: Plant<View>;
}

export function compareBy<View>(feature: Feature<View>, winning: readonly View[], losing: readonly View[]): Comparison {
  return compare(tally(winning, feature), tally(losing, feature));
}

/** Changes one view of so many. */
export function oneIn<View>(many: number, change: (view: View) => View): Plant<View> {
  return (views) => views.map((view, n) => (n % many === 0 ? change(view) : view));
}
