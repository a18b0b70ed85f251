import { api, of, ROOT } from '../../api.ts'
import type { PluginPage } from '../../shell/pages.ts'
import { t } from '../../text.ts'

/** See `DashboardGateway` of the plugin pages. */
interface Gateway {
  readonly session: string | undefined
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The custom element of a page; rejects if its script does not load or does not define it. */
export async function createElement({ Script, Element }: PluginPage, session: string): Promise<HTMLElement> {
  await import(/* @vite-ignore */ `${ROOT}${Script}`)
  if (!customElements.get(Element)) throw new Error(t('page.undefined', { element: Element }))
  const element = document.createElement(Element)
  return Object.assign(element, { gateway: gatewayOf(session) })
}

function gatewayOf(session: string): Gateway {
  return {
    session: session || undefined,
    call: async (method, path, body) => {
      const known = METHODS.find((one) => one === method.toLowerCase())
      if (!known) throw new TypeError(`unknown method "${method}"`)
      return api.call(known, path, body as object | undefined, session ? of(session) : {})
    },
  }
}
