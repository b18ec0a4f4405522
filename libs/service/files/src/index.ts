// The files that services read at start, for whoever needs them without being a service: no Nest, no TypeORM.
export { ConfigError } from '../../src/config.ts';
export * from '../../src/keys.ts';
export * from '../../src/regulations.ts';
