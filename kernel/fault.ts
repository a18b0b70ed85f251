/**
 * Named moments between two steps that a crash may tear apart. Nothing happens at them; the crash tests put
 * something there (test/crash/killer.ts).
 */
export const fault = {
  at(_moment: string): void {},
  /** Stock behaviour in place of the no-loss work-arounds, to prove that the crash tests can fail. */
  isStock: false,
  /** Names of patches of the driver that are left out, to prove that their tests can fail. */
  unpatched: new Set<string>(),
  /** Whether the driver refuses to start without them. */
  isSelfTested: true,
}
