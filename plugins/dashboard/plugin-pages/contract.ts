/** A plugin's files for browsers, and its page in the dashboard. */
export interface PagesContribution {
  /** The folder of the files, for example `new URL('../page/', import.meta.url)`; subfolders are not served. */
  readonly folder: URL
  /** Absent for a plugin that has files only. */
  readonly page?: DashboardPage
}

/**
 * A page in the dashboard: a custom element. The dashboard loads the script as a module, creates the element, sets its
 * property `gateway` (a DashboardGateway), and adds it to the document. Choosing another session creates a new element. The
 * styles of the dashboard apply to its content; the page's policy refuses markup from text (`innerHTML`).
 */
export interface DashboardPage {
  /** In the dashboard's menu. */
  readonly title: string
  /** Name of the custom element, which the script defines: `<plugin>-page`. */
  readonly element: string
  /** File of the folder. */
  readonly script: string
}

/** The dashboard's interface for a page; calls use the login of the user. */
export interface DashboardGateway {
  /** Id of the session shown; undefined without one. */
  readonly session: string | undefined
  /** Calls a route; resolves with `data` of the answer, rejects with an `Error` that has the answer's message. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    pages: PagesContribution
  }
}
