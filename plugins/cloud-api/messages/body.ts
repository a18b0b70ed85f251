import { LENGTHS } from 'wamux/messaging'
import { type Static, T } from 'wamux/plugin'

const Line = (max: number = LENGTHS.line) => T.String({ minLength: 1, maxLength: max })
const Id = T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'id' })
export const File = T.Object({
  id: T.Optional(T.String({ ...Id, description: 'Id of an upload or of a received file' })),
  link: T.Optional(
    T.String({ minLength: 1, maxLength: 8192, format: 'link', description: 'Address of the file' }),
  ),
  caption: T.Optional(T.String({ maxLength: LENGTHS.text })),
  filename: T.Optional(T.String({ maxLength: LENGTHS.line, description: 'Name of a document' })),
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
  type: T.String({ format: 'name', description: 'button, list, cta_url or location_request_message' }),
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
      name: T.Optional(T.String({ format: 'name' })),
      button: T.Optional(Line()),
      buttons: T.Optional(
        T.Array(T.Object({ type: T.Optional(T.String({ format: 'name' })), reply: Reply }), {
          minItems: 1,
          maxItems: 3,
        }),
      ),
      sections: T.Optional(
        T.Array(
          T.Object({
            title: T.Optional(T.String({ format: 'line' })),
            rows: T.Array(Row, { minItems: 1, maxItems: 100 }),
          }),
          {
            minItems: 1,
            maxItems: 100,
          },
        ),
      ),
      parameters: T.Optional(
        T.Object({
          display_text: T.Optional(Line()),
          url: T.Optional(T.String({ ...Line(LENGTHS.url), leaves: 'nothing' })),
        }),
      ),
    }),
  ),
})

export type InteractiveGiven = Static<typeof Interactive>

/** Other Graph fields are accepted and ignored. */
const open = { additionalProperties: true, names: 'none' }
const Text = T.Optional(T.String({ maxLength: LENGTHS.text }))
/** Clients send some of these as numbers. */
const Value = T.Optional(T.Union([T.String({ maxLength: LENGTHS.text, allowEmpty: true }), T.Number()]))
const Fallback = T.Optional(T.Object({ fallback_value: Value }, open))

const Parameter = T.Object(
  {
    type: T.Optional(T.String({ format: 'name' })),
    parameter_name: T.Optional(T.String({ format: 'name' })),
    text: Value,
    payload: T.Optional(T.String({ maxLength: LENGTHS.line })),
    coupon_code: Value,
    currency: Fallback,
    date_time: Fallback,
    image: T.Optional(File),
    video: T.Optional(File),
    document: T.Optional(File),
  },
  open,
)

export type ParameterGiven = Static<typeof Parameter>

const Component = T.Object(
  {
    type: T.Optional(T.String({ format: 'name' })),
    sub_type: T.Optional(T.String({ format: 'name' })),
    index: T.Optional(T.Union([T.String({ format: 'name' }), T.Number()])),
    parameters: T.Optional(T.Array(Parameter)),
  },
  open,
)

const Template = T.Object({
  name: Line(512),
  language: T.Object({ code: Line(20), policy: T.Optional(T.String({ format: 'name' })) }),
  components: T.Optional(T.Array(Component, { maxItems: 50 })),
})

export type TemplateGiven = Static<typeof Template>

/** Also accepts a number. */
const Digits = T.Optional(T.String({ maxLength: LENGTHS.id, format: 'phone', names: 'none' }))

/** A contact in Graph's form. */
const Contact = T.Object(
  {
    name: T.Object({ formatted_name: Line(), first_name: Text, last_name: Text }, open),
    phones: T.Optional(T.Array(T.Object({ phone: Digits, wa_id: Digits, type: Text }, open))),
    emails: T.Optional(T.Array(T.Object({ email: Text, type: Text }, open))),
    urls: T.Optional(
      T.Array(T.Object({ url: T.Optional(T.String({ maxLength: 8_192, leaves: 'nothing' })) }, open)),
    ),
    org: T.Optional(T.Object({ company: Text, department: Text, title: Text }, open)),
    birthday: Text,
  },
  open,
)

export type ContactGiven = Static<typeof Contact>

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
      description: 'A `user_id` from a webhook, instead of `to`',
    }),
  ),
  type: T.Optional(
    T.String({ format: 'name', description: 'Kind of message; text when absent', examples: ['text'] }),
  ),
  status: T.Optional(T.Enum(['read'])),
  message_id: T.Optional(
    T.String({ ...Id, names: 'message', description: 'With `status`: the message that was read' }),
  ),
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
