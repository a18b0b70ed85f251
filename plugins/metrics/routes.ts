import { gatewayError, isSameSecret, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { MetricsConfig } from './config.ts'
import type { Exposition } from './exposition.ts'

type Deps = { config: MetricsConfig; exposition: Exposition }

export const routes = <D extends Deps>(r: RouteBuilder<D>, { access, token }: MetricsConfig) => {
  if (access === 'token' && !token) throw new Error('with access "token", the setting "token" is missing')
  return [
    r.get('/metrics', {
      summary: 'Read the metrics of all plugins',
      description:
        'In the text format of Prometheus. With the setting `metrics.access` `token`, the header `Authorization: Bearer …` is required instead of the admin token.',
      access: access === 'admin' ? 'admin' : 'public',
      response: T.Unknown({
        contentMediaType: 'text/plain',
        description: 'In the text format of Prometheus',
      }),
      async handle({ header }, { exposition }) {
        if (access === 'token' && !isSameSecret(header('authorization'), `Bearer ${token}`))
          throw gatewayError('TOKEN_INVALID')
        const { text, contentType } = await exposition.read()
        return reply(text, { 'Content-Type': contentType })
      },
    }),
  ]
}
