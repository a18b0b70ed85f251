/** Fields of `definePlugin` that plugin API 3 no longer has, and what is in the place of each. */
const REMOVED: Readonly<Record<string, string>> = {
  close: 'services with a disposer, asFunction(…).singleton().disposer((service) => service.stop())',
  around: 'contributes: { around: (deps) => (call, next) => … }',
  authenticate: 'contributes: { authenticate: (deps) => (credentials, route) => … }',
  login: 'contributes: { login: (deps) => (credentials, route) => … }',
  metrics: 'contributes: { metrics: (deps) => ({ … }) }',
  health: 'contributes: { healthChecks: (deps) => ({ … }) }',
  before: 'order: { before: […] }',
  after: 'order: { after: […] }',
}

/** What to write in place of the fields that a plugin of an earlier API still has. */
export function removedFields(spec: object): string[] {
  return Object.keys(spec)
    .filter((field) => Object.hasOwn(REMOVED, field))
    .map((field) => `plugin API 3 has no "${field}"; write: ${REMOVED[field]}`)
}
