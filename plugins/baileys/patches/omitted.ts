/** What is left out to prove that the tests of the patches can fail. Set before Baileys is loaded, and by tests alone. */
export const omitted = {
  /** Names of patches that are not applied. */
  patches: new Set<string>(),
  /** Whether the driver starts all the same. */
  isTolerated: false,
}
