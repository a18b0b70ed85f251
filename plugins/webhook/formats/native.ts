import { eventJson } from 'wamux/messaging'
import type { GatewayServices } from 'wamux/plugin'
import type { FormatContext, WebhookFormat } from '../contract.ts'
import { sign } from './sign.ts'

/** The gateway's own format: every event as JSON. */
export const NATIVE = 'wamux'
/** The same as a form, with the session's token as a second field, as receivers of this family expect. */
export const FORM = 'form'

export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

export function nativeFormats(attachments: GatewayServices['attachments'] | undefined): WebhookFormat[] {
  const json = async (
    line: Parameters<WebhookFormat['bodiesOf']>[0],
    { session, jid }: FormatContext,
    token?: string,
  ): Promise<string> => eventJson(line, session, { jid, file: await attachments?.attach(line), token })

  return [
    {
      name: NATIVE,
      title: 'wamux (JSON)',
      headers: JSON_HEADERS,
      bodiesOf: (event, context) => json(event, context, context.token),
      sign,
    },
    {
      name: FORM,
      title: 'wamux (form)',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      includesToken: true,
      bodiesOf: async (event, context) => toForm(await json(event, context), context.token),
      sign,
    },
  ]
}

/** A form with the JSON in `jsonData`, and the token. */
function toForm(json: string, token = ''): string {
  return new URLSearchParams({ jsonData: json, token }).toString()
}
