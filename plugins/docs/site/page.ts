/** A page of the documentation site. */
export interface SitePage {
  /** Below `/docs/`, without an ending. */
  readonly path: string
  readonly title: string
  /** One line, for llms.txt. */
  readonly summary: string
  readonly text: string
}
