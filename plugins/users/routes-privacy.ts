import { Done, LENGTHS } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { assertChange, exceptionsOf, LISTED, privacyOf, SETTINGS, setPrivacy, WORDS } from './privacy.ts'
import { Privacy } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const Exceptions = T.Object({
  JIDs: T.Array(T.String(), { description: 'By phone number if it is known, otherwise by LID' }),
})

export const privacyRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/user/privacy', {
    ignoresUnknown: true,
    summary: 'Read the privacy settings of the account',
    description:
      'Who may see the last time online, the picture, the about text and read receipts, and who may add the account to groups.',
    response: Privacy,
    handle: ({ session }) => privacyOf(session.socket),
  }),
  r.post('/user/privacy', {
    leaves: ['profile'],
    isIdempotent: true,
    summary: 'Change one privacy setting of the account',
    description:
      'On all devices. `Setting` and `Value` have the names that `GET /user/privacy` uses. GroupAdd, LastSeen, Status and Profile: all, contacts, contact_blacklist (contacts except those in `Except`), none. ReadReceipts: all, none. CallAdd: all, known. Online: all, match_last_seen. Messages: all, contacts. Defense: on_standard, off. Stickers: contacts, none.',
    example: { Setting: 'LastSeen', Value: 'contact_blacklist', Except: ['5511988888888'] },
    body: T.Object({
      Setting: T.Enum(SETTINGS, { description: 'Which one' }),
      Value: T.String({ minLength: 1, maxLength: 40, words: WORDS, examples: ['contacts'] }),
      Except: T.Optional(
        // The setting is the account's: a key that is limited to some chats must not change it.
        T.Array(T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'phone', names: 'unknown' }), {
          maxItems: 1024,
          description:
            'With contact_blacklist: the whole list of those who are excepted, empty for nobody; absent: the list is kept',
        }),
      ),
    }),
    response: Done,
    async handle({ body, session }, { targets }) {
      const { Setting, Value, Except } = body
      assertChange(Setting, Value, Except !== undefined)
      const people = Except && (await targets.resolveUsers(session, Except, 'Except'))
      await setPrivacy(session.socket, Setting, Value, people)
      return { Details: `${Setting} is ${Value} now` }
    },
  }),
  r.get('/user/privacy/except', {
    summary: 'List those who are excepted from a privacy setting',
    description: 'They count while the value of the setting is contact_blacklist.',
    example: { Setting: 'LastSeen' },
    body: T.Object({ Setting: T.Enum(LISTED, { description: 'A setting with exceptions' }) }),
    response: Exceptions,
    handle: async ({ body, session }) => ({ JIDs: await exceptionsOf(session.socket, body.Setting) }),
  }),
]
