const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'enjeu-source'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: { '\\.ts$': '@swc/jest' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.ready'],
  setupFiles: ['reflect-metadata'],
};

/**
 * What a test needs decides its name, and its name decides the project that runs it:
 * `*.test.ts` nothing, `*.postgres.test.ts` a PostgreSQL, `*.kafka.test.ts` a PostgreSQL and a broker,
 * test/statistics takes long, test/end-to-end a built platform that it starts itself.
 */
export default {
  coverageProvider: 'v8',
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,bench}/**/*.test.ts', '<rootDir>/test/rules/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.(postgres|kafka)\\.test\\.ts$', '/node_modules/'],
    },
    {
      ...common,
      displayName: 'postgres',
      testMatch: ['<rootDir>/{apps,libs,test}/**/*.postgres.test.ts'],
      globalSetup: '<rootDir>/test/setup/postgres.ts',
      globalTeardown: '<rootDir>/test/setup/stop.ts',
    },
    {
      ...common,
      displayName: 'kafka',
      testMatch: ['<rootDir>/{apps,libs,test}/**/*.kafka.test.ts'],
      globalSetup: '<rootDir>/test/setup/kafka.ts',
      globalTeardown: '<rootDir>/test/setup/stop.ts',
    },
    {
      ...common,
      displayName: 'end-to-end',
      testMatch: ['<rootDir>/test/{end-to-end,independent,statistics}/**/*.test.ts'],
    },
  ],
};
