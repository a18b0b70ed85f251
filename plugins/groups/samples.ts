import { node, unixSeconds } from 'wamux/messaging'
import type { GatewayContributions, Session } from 'wamux/plugin'
import { ofNotification } from './notification.ts'

type Samples = GatewayContributions['eventSamples']
type Scene = Parameters<Samples[string]>[0]
type Change = ReturnType<typeof node>

const GROUP = '120363000000000001@g.us'
const VERSIONS = { prev_v_id: '1700000000000001', v_id: '1700000000000002' }

/** Changes of a group that does not exist, for tests of webhooks. */
export const eventSamples = (): Samples => ({
  'group.joined': change(joined),
  'group.subject': change(({ person, time }) => {
    const at = { s_t: String(unixSeconds(time)), s_o: person.lid, s_o_pn: person.jid }
    return node('subject', { subject: 'Trigger, renamed', ...at })
  }),
  'group.locked': change(() => node('locked', {})),
  'group.removed': change(({ session }) => node('remove', VERSIONS, [participant(session.lid, session.jid)])),
})

function change(of: (scene: Scene) => Change): Samples[string] {
  return (scene) => {
    const { person, time, id } = scene
    const attrs = {
      from: GROUP,
      type: 'w:gp2',
      id,
      t: String(unixSeconds(time)),
      participant: person.lid,
      participant_pn: person.jid,
      notify: person.name,
      addressing_mode: 'lid',
    }
    return ofNotification(node('notification', attrs, [of(scene)]), async () => '')
  }
}

function joined({ session, person, time }: Scene): Change {
  const at = String(unixSeconds(time))
  const group = {
    id: GROUP.replace('@g.us', ''),
    subject: 'Trigger',
    creation: at,
    creator: person.lid,
    creator_pn: person.jid,
    s_t: at,
    s_o: person.lid,
    s_o_pn: person.jid,
    size: '2',
    addressing_mode: 'lid',
    p_v_id: VERSIONS.v_id,
  }
  const members = [participant(person.lid, person.jid, { type: 'superadmin' }), of(session)]
  return node('create', { type: 'new', reason: 'invite' }, [node('group', group, members)])
}

const of = ({ lid, jid }: Session): Change => participant(lid, jid)

/** A session that was never linked has neither form. */
function participant(lid: string, jid: string, attrs: Record<string, string> = {}): Change {
  return node('participant', lid ? { jid: lid, phone_number: jid, ...attrs } : { jid, ...attrs })
}
