export * from './accounts.ts';
export * from './blocks.ts';
export * from './games.ts';
export * from './plays.ts';
export * from './problem-body.ts';
export * from './wallet.ts';
