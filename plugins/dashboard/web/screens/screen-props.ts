/** What every screen is given. */
export interface ScreenProps {
  /** The parts of the address that the pattern names, decoded. */
  readonly params: Readonly<Record<string, string>>
}
