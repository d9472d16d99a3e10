import type { Bus, Channel, Datasets, EvaluationResults, EvaluationRuns } from '../../shared/ports.ts';

/**
 * Ports whose adapters are loaded with the first call: their libraries are most of a cold start, and no function needs
 * all of them.
 */
export interface Ces {
  readonly evaluations: EvaluationRuns;
  readonly results: EvaluationResults;
  readonly datasets: Datasets;
}

export const lateCes = (load: () => Promise<Ces>): Ces => ({
  evaluations: {
    start: async (request) => (await load()).evaluations.start(request),
    operation: async (name) => (await load()).evaluations.operation(name),
    get: async (name) => (await load()).evaluations.get(name),
    newest: async function* newest(app) {
      yield* (await load()).evaluations.newest(app);
    },
  },
  results: {
    get: async (name) => (await load()).results.get(name),
    list: async (evaluationRun) => (await load()).results.list(evaluationRun),
  },
  datasets: {
    list: async (app) => (await load()).datasets.list(app),
    create: async (dataset) => (await load()).datasets.create(dataset),
  },
});

export const lateBus = (load: () => Promise<Bus>): Bus => ({
  publish: async (topic, message, at) => (await load()).publish(topic, message, at),
  setAside: async (topic, body, reason) => (await load()).setAside(topic, body, reason),
});

export const lateChannel = (load: () => Promise<Channel>): Channel => ({
  send: async (delivery, to) => (await load()).send(delivery, to),
  inDoubt: async (delivery, to) => (await load()).inDoubt(delivery, to),
});
