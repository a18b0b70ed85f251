import { type Static, T } from 'wamux/plugin'

const Text = (description: string) => T.Optional(T.String({ format: 'name', description }))

/** The fields of a fault except `Phone`. Their descriptions go on with the faults that have them. */
export const FAULT_FIELDS = {
  Ms: T.Optional(T.Integer({ minimum: 0, description: 'Milliseconds' })),
  UpMs: T.Optional(T.Integer({ minimum: 1, description: 'Milliseconds between two outages' })),
  Code: T.Optional(T.Integer({ description: 'Error code' })),
  Count: T.Optional(T.Integer({ minimum: 1, description: 'How many times, or how many new chats' })),
  Bytes: T.Optional(T.Integer({ minimum: 1, description: 'Size of the largest frame' })),
  Xmlns: Text('Kind of query (usync, blocklist …; all if absent)'),
  Below: T.Optional(T.Integer({ minimum: 0, description: 'Revision' })),
  Location: T.Optional(T.String({ maxLength: 20, description: 'Location of the failure' })),
  Revision: T.Optional(T.Integer({ minimum: 0, description: 'Revision of the current build' })),
  Shape: T.Optional(T.Literal('renamed', { description: 'The field has another name' })),
  Form: T.Optional(T.Enum(['pn', 'lid'] as const, { description: 'Number or LID' })),
  Silent: T.Optional(T.Boolean({ description: 'Never answers' })),
  Props: T.Optional(
    T.Record(T.String({ pattern: '^[0-9]{1,9}$' }), T.String({ maxLength: 1000 }), {
      maxProperties: 100,
      description: 'AB props: value by code',
    }),
  ),
  Attrs: T.Optional(
    T.Record(T.String({ pattern: '^[a-z_]{1,40}$' }), T.String({ maxLength: 100 }), {
      maxProperties: 10,
      description: 'Further attributes of the failure (code, expire …)',
    }),
  ),
  Conflict: Text('Type of the conflict in a stream error (replaced, device_removed)'),
  Type: Text(
    'Type of the missing content (view_once, hosted …), of the ciphertext or of the certificate; collection (regular_low …); child of a stream error (ack …)',
  ),
}

/** The fields of POST /sandbox/faults except `Phone`. */
export interface FaultRequest extends Static<ReturnType<typeof T.Object<typeof FAULT_FIELDS>>> {
  Fault: string
}
