import { LENGTHS } from 'wamux/messaging'
import { type Static, T } from 'wamux/plugin'

const Line = (max: number = LENGTHS.line) => T.String({ minLength: 1, maxLength: max })
const Id = T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'id' })
const Loose = () =>
  T.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, names: 'none' })

export const File = T.Object({
  id: T.Optional(T.String({ ...Id, description: 'Of an upload, or of a received message' })),
  link: T.Optional(T.String({ minLength: 1, maxLength: 8192, description: 'Address of the file' })),
  caption: T.Optional(T.String({ maxLength: LENGTHS.text })),
  filename: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Of a document' })),
  voice: T.Optional(T.Boolean({ description: 'Send audio as a voice message' })),
})

export type FileGiven = Static<typeof File>

const Reply = T.Object({ id: T.String({ ...Id, maxLength: LENGTHS.line }), title: Line() })
const Row = T.Object({
  id: T.String({ ...Id, maxLength: LENGTHS.line }),
  title: Line(),
  description: T.Optional(T.String({ maxLength: LENGTHS.line })),
})

const Interactive = T.Object({
  type: T.String({ description: 'button, list, cta_url or location_request_message' }),
  header: T.Optional(
    T.Object({
      type: T.Enum(['text', 'image', 'video', 'document']),
      text: T.Optional(Line()),
      image: T.Optional(File),
      video: T.Optional(File),
      document: T.Optional(File),
    }),
  ),
  body: T.Optional(T.Object({ text: Line(LENGTHS.text) })),
  footer: T.Optional(T.Object({ text: Line() })),
  action: T.Optional(
    T.Object({
      name: T.Optional(T.String()),
      button: T.Optional(Line()),
      buttons: T.Optional(
        T.Array(T.Object({ type: T.Optional(T.String()), reply: Reply }), { minItems: 1, maxItems: 3 }),
      ),
      sections: T.Optional(
        T.Array(
          T.Object({ title: T.Optional(T.String()), rows: T.Array(Row, { minItems: 1, maxItems: 100 }) }),
          {
            minItems: 1,
            maxItems: 100,
          },
        ),
      ),
      parameters: T.Optional(
        T.Object({ display_text: T.Optional(Line()), url: T.Optional(Line(LENGTHS.url)) }),
      ),
    }),
  ),
})

export type InteractiveGiven = Static<typeof Interactive>

const Template = T.Object({
  name: Line(512),
  language: T.Object({ code: Line(20), policy: T.Optional(T.String()) }),
  components: T.Optional(T.Array(Loose(), { maxItems: 50 })),
})

export type TemplateGiven = Static<typeof Template>

const Contact = T.Unsafe<ContactGiven>({
  type: 'object',
  names: 'none',
  required: ['name'],
  properties: {
    name: {
      type: 'object',
      required: ['formatted_name'],
      properties: { formatted_name: Line() },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
})

/** A contact as Graph has it; other fields are accepted and left out. */
export interface ContactGiven {
  name: { formatted_name: string; first_name?: string; last_name?: string }
  phones?: { phone?: string; wa_id?: string; type?: string }[]
  emails?: { email?: string; type?: string }[]
  urls?: { url?: string }[]
  org?: { company?: string; department?: string; title?: string }
  birthday?: string
}

/** The body of `POST /{phone-number-id}/messages`. */
export const MessageBody = T.Object({
  messaging_product: T.Enum(['whatsapp']),
  recipient_type: T.Optional(T.Enum(['individual', 'group'])),
  to: T.Optional(
    T.String({
      minLength: 1,
      maxLength: LENGTHS.id,
      format: 'phone',
      description: 'Phone number with country code, or a JID',
      examples: ['5511999999999'],
    }),
  ),
  recipient: T.Optional(
    T.String({
      maxLength: LENGTHS.id,
      format: 'phone',
      description: 'A `user_id` of a webhook, in place of `to`',
    }),
  ),
  type: T.Optional(T.String({ description: 'Kind of message; text when absent', examples: ['text'] })),
  status: T.Optional(T.Enum(['read'])),
  message_id: T.Optional(T.String({ ...Id, description: 'With `status`: the message that was read' })),
  typing_indicator: T.Optional(T.Object({ type: T.Enum(['text']) })),
  context: T.Optional(T.Object({ message_id: Id })),
  biz_opaque_callback_data: T.Optional(T.String({ maxLength: 512 })),
  text: T.Optional(T.Object({ body: Line(LENGTHS.text), preview_url: T.Optional(T.Boolean()) })),
  image: T.Optional(File),
  video: T.Optional(File),
  audio: T.Optional(File),
  document: T.Optional(File),
  sticker: T.Optional(File),
  location: T.Optional(
    T.Object({
      latitude: T.Number({ minimum: -90, maximum: 90 }),
      longitude: T.Number({ minimum: -180, maximum: 180 }),
      name: T.Optional(T.String({ maxLength: LENGTHS.line })),
      address: T.Optional(T.String({ maxLength: LENGTHS.line })),
    }),
  ),
  contacts: T.Optional(T.Array(Contact, { minItems: 1, maxItems: 257 })),
  reaction: T.Optional(
    T.Object({
      message_id: Id,
      emoji: T.Optional(
        T.String({ maxLength: LENGTHS.id, allowEmpty: true, description: 'Empty removes it' }),
      ),
    }),
  ),
  interactive: T.Optional(Interactive),
  template: T.Optional(Template),
})

export type MessageGiven = Static<typeof MessageBody>
