/** Switches that tests set to prove that a test can fail; nothing else sets them. */
export const testHooks = {
  /** Called at each failpoint; the crash tests end the process there (test/crash/killer.ts). */
  onFailpoint(_name: string): void {},
  /** Stock mode: runs without the patches that prevent loss, to prove that the crash tests can fail. */
  isStock: false,
  /** Names of driver patches that are not applied, to prove that their tests can fail. */
  unpatched: new Set<string>(),
  /** Whether the driver refuses to start when a patch is missing. */
  isSelfTested: true,
}

/** A named point between two steps, where tests can crash the process. Does nothing by itself. */
export function failpoint(name: string): void {
  testHooks.onFailpoint(name)
}
