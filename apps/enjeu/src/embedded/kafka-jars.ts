import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.ts';
import { type Finished, run } from './processes.ts';

export const KAFKA_VERSION = '4.4.0';
const OLDEST_JAVA = 17;
const WHAT_TO_DO = `install Java ${OLDEST_JAVA} or newer and Maven (Debian: apt-get install openjdk-17-jre-headless maven), or set KAFKA_BROKERS to a broker that runs.`;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>enjeu</groupId>
  <artifactId>kafka-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>2.25.5</version>
    </dependency>
  </dependencies>
</project>
`;

/** Where the jars are kept between runs: in node_modules, which no clean checkout has. */
export function defaultJarsDir(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'node_modules')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'node_modules', '.enjeu', `kafka-${KAFKA_VERSION}`);
}

/**
 * The class path of a Kafka broker, fetched from Maven Central once and then kept. Several processes may ask at once.
 * Refused with a Failure that says what to install where there is no Java, or no Maven for the first time.
 */
export async function kafkaClassPath(jarsDir: string, onProgress: (step: string) => void): Promise<string> {
  await requireJava();
  const lib = join(jarsDir, 'lib');
  if (!existsSync(lib)) await fetchJars(jarsDir, lib, onProgress);
  return join(lib, '*');
}

async function requireJava(): Promise<void> {
  const said = await tryToRun('java', ['-version']);
  const version = Number(/version "(?:1\.)?(\d+)/.exec(said?.output ?? '')?.[1] ?? 0);
  if (version === 0) throw new Failure(`Kafka needs Java, which is not there: ${WHAT_TO_DO}`);
  if (version < OLDEST_JAVA) throw new Failure(`Kafka needs Java ${OLDEST_JAVA}, here is ${version}: ${WHAT_TO_DO}`);
}

async function fetchJars(jarsDir: string, lib: string, onProgress: (step: string) => void): Promise<void> {
  const fresh = join(jarsDir, `fetch-${process.pid}`);
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, 'pom.xml'), POM);
  onProgress(`fetching Kafka ${KAFKA_VERSION} (43 MB, once)`);
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${join(fresh, 'lib')}`];
  const fetched = await tryToRun('mvn', ['-B', '-q', '-f', join(fresh, 'pom.xml'), ...goal]);
  if (fetched === null) throw new Failure(`Kafka is fetched with Maven, which is not there: ${WHAT_TO_DO}`);
  if (fetched.code !== 0) {
    throw new Failure(`Maven could not fetch Kafka ${KAFKA_VERSION}: ${firstError(fetched.output)}`);
  }
  try {
    renameSync(join(fresh, 'lib'), lib);
  } catch (error) {
    if (!existsSync(lib)) throw error;
  }
  rmSync(fresh, { recursive: true, force: true });
}

async function tryToRun(command: string, args: readonly string[]): Promise<Finished | null> {
  try {
    return await run(command, args);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function firstError(output: string): string {
  const line = output.split('\n').find((text) => text.includes('ERROR')) ?? output.trim();
  return line.slice(0, 400);
}
