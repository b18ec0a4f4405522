/** What a game's versioned mechanic is to the rest of the platform. */
export interface Mechanic {
  /** `pharaon/1` */
  readonly id: string;
  /** The ways to play that a player chooses from, the default first; none where there is only one way. */
  readonly modes: readonly string[];
}
