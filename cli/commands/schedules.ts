import type { Command } from 'commander';

import type { Plan } from '../../shared/domain/plan.ts';
import { nextSlots } from '../../shared/domain/schedule.ts';
import { configuration, environment, planOf, systemClock } from '../context.ts';
import { print, printJson, say } from '../output.ts';

interface Options {
  readonly json?: true;
  readonly config?: string;
}

const SLOTS = 5;

export function addScheduleCommands(program: Command): void {
  program
    .command('schedules')
    .description('look at schedules')
    .command('preview')
    .description(`the next ${SLOTS} slots, in the plan's time zone and in UTC`)
    .argument('[plan]', 'default: every plan with a schedule')
    .option('--json', 'print them as one document')
    .option('--config <file>', 'the configuration, default EVALS_CONFIG or evals.yaml')
    .action(preview);
}

function preview(name: string | undefined, { json, config: file }: Options): void {
  const config = configuration(file ?? environment().configFile);
  const plans = name === undefined ? Object.values(config.plans) : [planOf(config, name)];
  const previews = plans.flatMap(previewOf);
  if (json) printJson(previews);
  else if (previews.length === 0)
    say(`${name ?? 'no plan'} has ${name === undefined ? 'a' : 'no'} schedule: on demand only`);
  for (const { plan, cron, timezone, slots } of json ? [] : previews) {
    print(`${plan}  ${cron}  ${timezone}`);
    for (const { local, utc } of slots) print(`  ${local}  ${utc}`);
  }
}

function previewOf({ name, schedule }: Plan) {
  if (schedule === undefined) return [];
  const { cron, timezone, overlap } = schedule;
  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timezone,
    timeZoneName: 'shortOffset',
  });
  const slots = nextSlots(schedule, systemClock.now(), SLOTS).map((slot) => ({
    local: format.format(slot),
    utc: slot.toISOString().replace('.000Z', 'Z'),
  }));
  return [{ plan: name, cron, timezone, overlap, slots }];
}
