/** Files of a plugin that browsers load, and its page in the dashboard. */
export interface PagesContribution {
  /** The folder of the files, such as `new URL('../page/', import.meta.url)`; its own folders are not served. */
  readonly folder: URL
  /** Absent for a plugin that has files only. */
  readonly page?: DashboardPage
}

/**
 * A page in the dashboard: a custom element. The dashboard loads the script as a module, creates the element, sets its
 * property `gateway` (a DashboardGateway), and adds it to the document. It creates another one when another session is chosen.
 * The styles of the dashboard apply to its content; markup made of a text (`innerHTML`) is refused by the policy of the page.
 */
export interface DashboardPage {
  /** In the dashboard's menu. */
  readonly title: string
  /** Name of the custom element, which the script defines: `<plugin>-page`. */
  readonly element: string
  /** File of the folder. */
  readonly script: string
}

/** What a page gets of the dashboard; calls are made with the login of its user. */
export interface DashboardGateway {
  /** Id of the session that is shown; undefined while none is. */
  readonly session: string | undefined
  /** Calls a route; resolves with `data` of the answer, rejects with an `Error` that has the answer's message. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    pages: PagesContribution
  }
}
