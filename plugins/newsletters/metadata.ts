import { type Static, T } from 'wamux/plugin'

const Words = T.String()
const Texts = T.Object({ text: Words, id: Words, update_time: Words })
const Picture = T.Union([T.Null(), T.Record(T.String(), T.Unknown())])

/** A newsletter in the format that receivers of this family expect: times are Unix time as text, enums lower case. */
export const Metadata = T.Object(
  {
    id: T.String({ description: 'JID of the newsletter' }),
    state: T.Object({ type: Words }),
    thread_metadata: T.Object({
      creation_time: T.String({ description: 'Seconds since 1970' }),
      invite: T.String({ description: 'Part of the link after https://whatsapp.com/channel/' }),
      name: Texts,
      description: Texts,
      subscribers_count: Words,
      verification: Words,
      picture: Picture,
      preview: Picture,
      settings: T.Object({ reaction_codes: T.Object({ value: Words }) }),
    }),
    viewer_metadata: T.Union([
      T.Null(),
      T.Object({ mute: Words, role: T.String({ description: 'owner, admin, subscriber or guest' }) }),
    ]),
  },
  { title: 'Newsletter' },
)

/** The network's own JSON: upper-case enums; unknown values are absent or null. */
interface Raw {
  id?: string
  state?: { type?: string } | null
  thread_metadata?: {
    creation_time?: string | number
    invite?: string
    name?: RawText | null
    description?: RawText | null
    subscribers_count?: string | number
    verification?: string
    picture?: Record<string, unknown> | null
    preview?: Record<string, unknown> | null
    settings?: { reaction_codes?: { value?: string } | null } | null
  } | null
  viewer_metadata?: { mute?: string; role?: string } | null
}

interface RawText {
  text?: string
  id?: string
  update_time?: string | number
}

export function toMetadata(raw: unknown): Static<typeof Metadata> {
  const { id = '', state, thread_metadata, viewer_metadata: viewer } = raw as Raw
  const thread = thread_metadata ?? {}
  return {
    id,
    state: { type: lower(state?.type) },
    thread_metadata: {
      creation_time: String(thread.creation_time ?? ''),
      invite: thread.invite ?? '',
      name: toText(thread.name),
      description: toText(thread.description),
      subscribers_count: String(thread.subscribers_count ?? '0'),
      verification: lower(thread.verification),
      picture: thread.picture ?? null,
      preview: thread.preview ?? null,
      settings: { reaction_codes: { value: lower(thread.settings?.reaction_codes?.value) } },
    },
    viewer_metadata: viewer ? { mute: lower(viewer.mute), role: lower(viewer.role) } : null,
  }
}

export function lower(word: string | undefined): string {
  return (word ?? '').toLowerCase()
}

function toText(given: RawText | null | undefined): Static<typeof Texts> {
  return { text: given?.text ?? '', id: given?.id ?? '', update_time: String(given?.update_time ?? '') }
}
