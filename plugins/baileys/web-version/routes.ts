import { type RouteBuilder, T } from 'wamux/plugin'
import { BUILT_IN, daysSince, textOf, versionOf } from './revision.ts'
import type { CurrentVersion, WebVersions } from './web-versions.ts'

const Time = (description: string) => T.String({ description: `RFC 3339; empty ${description}` })

const WebVersion = T.Object(
  {
    Version: T.String({ description: 'The version with which links are opened' }),
    Source: T.Enum(['built-in', 'setting', 'sw.js', 'page'], {
      description:
        'Built into Baileys, the setting `baileys.webVersion`, or the file of WhatsApp Web that names it',
    }),
    AgeDays: T.Number({
      description: 'Days since it was the current one; estimated if the setting gives it',
    }),
    FetchedAt: Time('if it was not looked up'),
    BuiltIn: T.String(),
    ExpiresAt: Time('unless WhatsApp has announced the end of this version'),
    LookedUpAt: Time('before the first look-up, which the first link starts'),
    Problem: T.String({ description: 'Why the last look-up failed; empty if it did not' }),
    Refused: T.Integer({ description: 'Sessions that WhatsApp refuses with this version' }),
  },
  { title: 'WebVersion' },
)

interface Deps {
  webVersions: WebVersions
}

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/server/web-version', {
    summary: 'Read the version of WhatsApp Web with which links are opened, and its age',
    description:
      'WhatsApp refuses versions that are some months old. The version is looked up once a day for all sessions and processes, and when WhatsApp refuses it or announces its end.',
    access: 'admin',
    response: WebVersion,
    async handle(_, { webVersions }) {
      const [current, refused] = await Promise.all([webVersions.current(), webVersions.refusals.count()])
      return { ...view(current), Refused: refused }
    },
  }),
]

function view({ version, source, at, expires, known }: CurrentVersion) {
  const isFetched = source === 'sw.js' || source === 'page'
  return {
    Version: textOf(version),
    Source: source,
    AgeDays: Math.round(daysSince(at, Date.now()) * 10) / 10,
    FetchedAt: isFetched ? timeOf(at) : '',
    BuiltIn: textOf(versionOf(BUILT_IN.revision)),
    ExpiresAt: timeOf(expires),
    LookedUpAt: timeOf(known.ended),
    Problem: known.problem,
  }
}

function timeOf(ms: number): string {
  return ms > 0 ? new Date(ms).toISOString() : ''
}
