import { sqlMigration } from '#service';

/** A play gets one outcome, whatever the positions of the wallet's log say. */
const ONE_OUTCOME = `
  create unique index events_outcome_of_play
      on events (correlation)
   where type in ('UnitIssued', 'UnitRefused')`;

/** For the list of emissions: the events among which they stand are many. */
const APPROVALS = `
  create index events_emissions_approved
      on events (position)
   where type = 'EmissionApproved'`;

export const IndexOutcomes = sqlMigration('IndexOutcomes1704067202000', [ONE_OUTCOME, APPROVALS]);
