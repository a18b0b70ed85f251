/** The properties of every screen. */
export interface ScreenProps {
  /** The decoded parameters of the pattern. */
  readonly params: Readonly<Record<string, string>>
}
