import { Done } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { describedFields, FAULT_NAMES, faultKinds } from './network/faults/switches.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const AnyObject = T.Record(T.String(), T.Unknown())
const Fields = {
  Fault: T.String({ minLength: 1, format: 'name', description: FAULT_NAMES.join(', ') }),
  Phone: T.Optional(T.String({ format: 'phone', description: 'The account whose companions are affected' })),
  ...describedFields(),
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
