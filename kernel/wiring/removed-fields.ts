/** Fields of `definePlugin` that plugin API 3 no longer has, with their replacements. */
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

/** Messages for the fields of an earlier API that a plugin still has. */
export function removedFields(spec: object): string[] {
  return Object.keys(spec)
    .filter((field) => Object.hasOwn(REMOVED, field))
    .map((field) => `plugin API 3 has no "${field}"; write: ${REMOVED[field]}`)
}
