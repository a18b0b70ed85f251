/** What the tests change in a process to prove that a test can fail; nothing else does. */
export const testHooks = {
  /** Called at each failpoint; the crash tests end the process there (test/crash/killer.ts). */
  onFailpoint(_name: string): void {},
  /** Stock behaviour in place of the no-loss work-arounds, to prove that the crash tests can fail. */
  isStock: false,
  /** Names of patches of the driver that are left out, to prove that their tests can fail. */
  unpatched: new Set<string>(),
  /** Whether the driver refuses to start without them. */
  isSelfTested: true,
}

/** A named moment between two steps that a crash may tear apart. Does nothing by itself. */
export function failpoint(name: string): void {
  testHooks.onFailpoint(name)
}
