/** Patches left out to prove that their tests can fail. Set before Baileys is loaded, and only by tests. */
export const omitted = {
  /** Names of patches that are not applied. */
  patches: new Set<string>(),
  /** Whether the driver starts without them. */
  isTolerated: false,
}
