import { Done } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { FAULT_NAMES } from './network/faults/arm.ts'
import { faultKinds } from './network/faults/switches.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const Text = (description: string) => T.Optional(T.String({ format: 'name', description }))
const AnyObject = T.Record(T.String(), T.Unknown())
const Fields = {
  Fault: T.String({ minLength: 1, format: 'name', description: FAULT_NAMES.join(', ') }),
  Phone: T.Optional(T.String({ format: 'phone', description: 'The account whose companions are affected' })),
  Ms: T.Optional(
    T.Integer({
      minimum: 0,
      description: 'Milliseconds, for delay, timelock, expires, flapping, clock, ping and props',
    }),
  ),
  UpMs: T.Optional(T.Integer({ minimum: 1, description: 'Milliseconds between two outages, for flapping' })),
  Code: T.Optional(
    T.Integer({ description: 'Error code, for refuse, refuseQuery, failure, streamError, swjs and page' }),
  ),
  Count: T.Optional(
    T.Integer({ minimum: 1, description: 'How many times; for messageCap, the number of new chats' }),
  ),
  Bytes: T.Optional(T.Integer({ minimum: 1, description: 'Size of the largest frame, for smallFrames' })),
  Xmlns: Text('Kind of query, for refuseQuery: usync, blocklist …; all if absent'),
  Below: T.Optional(T.Integer({ minimum: 0, description: 'Revision, for outdated' })),
  Location: T.Optional(T.String({ maxLength: 20, description: 'Location of the failure, for outdated' })),
  Revision: T.Optional(
    T.Integer({ minimum: 0, description: 'Revision of the current build, for release, swjs and page' }),
  ),
  Shape: T.Optional(T.Literal('renamed', { description: 'The field has another name, for swjs and page' })),
  Form: T.Optional(T.Enum(['pn', 'lid'] as const, { description: 'Number or LID, for editForm' })),
  Silent: T.Optional(T.Boolean({ description: 'Never answers, for swjs and page' })),
  Props: T.Optional(
    T.Record(T.String({ pattern: '^[0-9]{1,9}$' }), T.String({ maxLength: 1000 }), {
      maxProperties: 100,
      description: 'AB props: value by code, for props',
    }),
  ),
  Attrs: T.Optional(
    T.Record(T.String({ pattern: '^[a-z_]{1,40}$' }), T.String({ maxLength: 100 }), {
      maxProperties: 10,
      description: 'Further attributes of the failure, for failure: code, expire …',
    }),
  ),
  Conflict: Text('Type of the conflict in a stream error, for streamError: replaced, device_removed'),
  Type: Text(
    'Type of the missing content, for unavailable: view_once, hosted …; collection, for spoilSettings: regular_low …; child of a stream error without a code, for streamError: ack …; type of the ciphertext, for addCiphertext and replaceCiphertext',
  ),
}

/** Routes of the network and its faults. */
export const networkRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/sandbox/network', {
    summary: 'Get the state of the network: accounts, groups, media, counters',
    description: 'For tests and demonstrations: what the network knows, and its counters.',
    access,
    response: AnyObject,
    handle: async (_, { sandbox }) => sandbox.network.view(),
  }),
  r.get('/sandbox/faults', {
    summary: 'List the armed and the available faults',
    description:
      'A fault that is used up, or that acts only once, is not armed. plugins/sandbox/README.md describes them.',
    access,
    response: T.Object({
      Faults: T.Array(T.Object(Fields, { title: 'SandboxFault' }), { description: 'The armed faults' }),
      Kinds: T.Array(
        T.Object({
          Fault: T.String(),
          Phone: T.Union([T.Literal('required'), T.Literal('optional'), T.Literal('none')]),
          Stays: T.Boolean({ description: 'Whether it stays until it is ended; otherwise it acts once' }),
        }),
      ),
    }),
    handle: async (_, { sandbox }) => ({ Faults: sandbox.network.faults(), Kinds: faultKinds() }),
  }),
  r.post('/sandbox/faults', {
    summary: 'Inject a fault into the network, or end it',
    description: 'The other fields depend on `Fault`; plugins/sandbox/README.md lists them.',
    example: { Fault: 'delay', Phone: '5511999999999', Ms: 10 },
    access,
    response: Done,
    body: T.Object({
      ...Fields,
      On: T.Optional(
        T.Boolean({ default: true, description: 'false ends this fault; `clear` ends several' }),
      ),
    }),
    handle: async ({ body: { On = true, ...fault } }, { sandbox }) => {
      if (On) sandbox.network.fault(fault)
      else sandbox.network.endFault(fault)
      return { Details: On ? 'Fault set' : 'Fault ended' }
    },
  }),
]
