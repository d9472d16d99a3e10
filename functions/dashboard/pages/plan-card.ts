import type { Schedule } from '../../../shared/domain/plan.ts';
import { nextSlots } from '../../../shared/domain/schedule.ts';
import type { PlanCard } from '../data.ts';
import { html, type Html, type Part } from '../html.ts';
import { overviewPath } from '../paths.ts';
import { badge, facts, formatsIn, runLink, time, type View } from '../pieces.ts';
import { sparkline } from '../sparkline.ts';
import { isOpen, runStanding, verdictStanding } from '../standing.ts';

const NEXT_SLOTS = 3;

/** How a plan stands: its last verdict, the runs that led there, and what comes next. */
export function planCard(card: PlanCard, view: View): Html {
  const { name, plan, runs } = card;
  return html`<article class="card">
    <h2><a href="${overviewPath({ plan: name })}">${name}</a></h2>
    <p class="standing">${lastVerdict(card, view)}</p>
    ${runs.length === 0 ? undefined : sparkline(runs, plan?.spec.gate.minPassRate, view)}
    ${facts([
      ['In flight', inFlight(card)],
      ['Failing since', failingSince(card, view)],
      ['Next', next(card, view)],
      ['Last skipped slot', lastSkip(card, view)],
    ])}
  </article>`;
}

function lastVerdict({ state, runs }: PlanCard, { formats }: View): Html {
  const last = state?.lastVerdict;
  if (last === undefined) return html`<span class="badge neutral">no verdict yet</span>`;
  const rate = runs.find(({ id }) => id === last.run)?.verdict?.passRate ?? undefined;
  return html`${badge(verdictStanding(last.outcome))}
    ${rate === undefined ? undefined : html`<strong>${formats.percent(rate)}</strong>`}
    <span class="note">${time(last.at, formats)}</span>`;
}

function inFlight({ runs }: PlanCard): Part {
  const open = runs.filter(isOpen);
  if (open.length === 0) return undefined;
  return open.map((run) => {
    const { completed = 0, error = 0, cancelled = 0, total = 0 } = run.progress ?? {};
    const done = total === 0 ? undefined : `${completed + error + cancelled} of ${total} done`;
    return html`<div>${badge(runStanding(run))} ${runLink(run.id)} ${done}</div>`;
  });
}

function failingSince({ state, firstFailed }: PlanCard, { formats }: View): Part {
  const failing = state?.failing;
  if (failing === undefined) return undefined;
  const count = failing.runs === 1 ? '1 failed run' : `${formats.count(failing.runs)} failed runs`;
  return firstFailed === undefined
    ? html`${runLink(failing.since)}, ${count}`
    : html`${time(firstFailed.createdAt, formats)}, ${count}, first ${runLink(failing.since)}`;
}

function next({ plan }: PlanCard, view: View): Part {
  if (plan === undefined) return 'never: the plan is not in the configuration any more';
  return plan.schedule === undefined ? 'on demand only' : slots(plan.schedule, view);
}

function slots({ cron, timezone }: Schedule, { now }: View): Part {
  const formats = formatsIn(timezone);
  const upcoming = nextSlots({ cron, timezone }, now, NEXT_SLOTS);
  return html`${upcoming.map((slot) => html`<div>${time(slot.toISOString(), formats)}</div>`)}
    <div class="note">${cron} ${timezone}</div>`;
}

function lastSkip({ plan, state }: PlanCard, { formats }: View): Part {
  const skip = state?.lastSkip;
  if (skip === undefined) return undefined;
  const zone = plan?.schedule === undefined ? formats : formatsIn(plan.schedule.timezone);
  return html`${time(skip.slot, zone)}: ${skip.reason}`;
}
