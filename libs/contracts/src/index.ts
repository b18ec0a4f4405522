export * from './events.ts';
export * from './http.ts';
export * from './internal.ts';
export * from './problems.ts';
