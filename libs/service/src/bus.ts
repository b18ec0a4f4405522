import { Logger } from '@nestjs/common';
import { type Bus, type BusConfig, type BusReports, type KafkaConfig, openBus } from '#event-bus';
import { counter, gauge } from './metrics.ts';
import { oneLine } from './run.ts';

/** The variables of `busOf`, as `readConfig` gives them. */
export interface BusVariables {
  readonly ENJEU_BUS: 'postgres' | 'kafka';
  readonly KAFKA_BROKERS?: string | undefined;
  readonly KAFKA_REPLICATION?: number | undefined;
  readonly KAFKA_MIN_IN_SYNC_REPLICAS?: number | undefined;
  readonly ENJEU_WALLET_LOG_URL?: string | undefined;
  readonly ENJEU_ISSUANCE_LOG_URL?: string | undefined;
}

export interface ServiceBusOptions {
  /** How long a follower waits for more records under load. Default 0. */
  readonly gather_ms?: number;
  /** A source's log ends before what was applied of it: its follower is given nothing more. */
  readonly onLogBehind?: (source: string, detail: string) => void;
}

/** The platform's bus as this service uses it, with its failures in the log and its lags among the metrics. */
export function openServiceBus(variables: BusVariables, who: string, options: ServiceBusOptions = {}): Bus {
  return openBus(busConfig(variables, who, options));
}

/** What `openServiceBus` opens. @param who the service, for connections, logs and metrics */
export function busConfig(variables: BusVariables, who: string, options: ServiceBusOptions = {}): BusConfig {
  const reports = busReports(options.onLogBehind);
  const gather = options.gather_ms === undefined ? {} : { gatherMs: options.gather_ms };
  if (variables.ENJEU_BUS === 'kafka') return { bus: 'kafka', kafka: kafkaOf(variables), who, reports, ...gather };
  const logs: Record<string, string> = {};
  if (variables.ENJEU_WALLET_LOG_URL) logs['wallet'] = variables.ENJEU_WALLET_LOG_URL;
  if (variables.ENJEU_ISSUANCE_LOG_URL) logs['issuance'] = variables.ENJEU_ISSUANCE_LOG_URL;
  return { bus: 'postgres', logs, reports, ...gather };
}

/** How topics are reached, and made where they are missing. */
export function kafkaOf(variables: BusVariables): KafkaConfig {
  const { KAFKA_BROKERS, KAFKA_REPLICATION, KAFKA_MIN_IN_SYNC_REPLICAS } = variables;
  return {
    brokers: (KAFKA_BROKERS ?? '').split(','),
    ...(KAFKA_REPLICATION === undefined ? {} : { replication: KAFKA_REPLICATION }),
    ...(KAFKA_MIN_IN_SYNC_REPLICAS === undefined ? {} : { minInSyncReplicas: KAFKA_MIN_IN_SYNC_REPLICAS }),
  };
}

const logger = new Logger('bus');

export function busReports(onLogBehind: ServiceBusOptions['onLogBehind'] = () => {}): BusReports {
  const failures = counter('enjeu_bus_failures_total', 'Failures that are tried again.', ['source', 'who']);
  const lags = gauge('enjeu_bus_lag_records', 'Records behind those handed over.', ['source', 'who']);
  return {
    failed(source, who, error) {
      failures.inc({ source, who });
      logger.warn(`${who} of ${source}: ${oneLine(error)}; trying again`);
    },
    unreadable(source, who, offset, error) {
      failures.inc({ source, who });
      logger.error(`${who} of ${source}: the record at offset ${offset} has no readable envelope: ${oneLine(error)}`);
    },
    lag: (source, who, records) => lags.set({ source, who }, records),
    logBehind(source, who, applied, head) {
      const detail = `log-behind-bus: ${source} ends at ${head}, ${who} has applied ${applied}`;
      logger.error(detail);
      onLogBehind(source, detail);
    },
  };
}
