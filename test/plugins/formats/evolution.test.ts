import { expect } from 'chai'
import { RECEIVED_SAMPLES } from '../../../plugins/messaging/index.ts'
import { engines } from '../../support/databases.ts'
import { admin } from '../../support/world.ts'
import { type Body, compare, madeBodies, openScene, PUBLIC_URL, qrBody, type Scene } from './scene.ts'

/** As flows for Evolution API read it: the number from the key, the text from the content, the file from `base64`. */
function receiverOf(): { seen: string[]; handle(body: Body): void } {
  const seen: string[] = []
  return {
    seen,
    handle(body) {
      const { data } = body
      if (body.event === 'messages.update') {
        seen.push(`${data.keyId} of ${data.remoteJid} is ${data.status}`)
        return
      }
      if (body.event !== 'messages.upsert' || data.key.fromMe) return
      const number = data.key.remoteJid.split('@')[0]
      if (data.messageType === 'conversation')
        seen.push(`${body.instance}: ${number} (${data.pushName}) says ${data.message.conversation}`)
      if (data.messageType === 'imageMessage')
        seen.push(`${number} sent ${data.message.imageMessage.caption} ${data.message.base64}`)
      if (data.messageType === 'reactionMessage')
        seen.push(`${data.message.reactionMessage.text} to ${data.message.reactionMessage.key.id}`)
    },
  }
}

const is = {
  message: (id: string) => (body: Body) =>
    /^(messages\.upsert|send\.message)$/.test(body.event) && body.data.key.id === id,
  read:
    (id: string) =>
    ({ event, data }: Body) =>
      event === 'messages.update' && data.keyId === id && data.status === 'READ',
  reaction: ({ data }: Body) => data?.messageType === 'reactionMessage',
  presence: ({ event }: Body) => event === 'presence.update',
  edit: ({ event }: Body) => event === 'messages.edited',
  revoke: ({ event }: Body) => event === 'messages.delete',
  vote: ({ data }: Body) => data?.messageType === 'pollUpdateMessage',
}

for (const engine of engines) {
  describe(`webhooks in the format of Evolution API on ${engine.name}`, () => {
    let scene: Scene
    let made: Record<string, Body>
    before(async function () {
      this.timeout(240_000)
      scene = await openScene('evolution', engine)
      made = await madeBodies(scene, is)
    })
    after(() => scene.stop())

    it('reach a receiver written for it: a text, a picture, a reaction, a receipt', () => {
      const { number, shop } = scene
      const receiver = receiverOf()
      for (const name of ['text', 'image', 'reaction', 'receipt', 'own']) receiver.handle(made[name])
      const { id } = made['own'].data.key
      const [, file] = RECEIVED_SAMPLES.image.file.split(',')
      expect(receiver.seen).to.deep.equal([
        `Shop: ${number} (Ana) says Hi there!`,
        `${number} sent hello ${file}`,
        `👍 to ${id}`,
        `${id} of ${number}@s.whatsapp.net is READ`,
      ])
      expect(made['text']).to.include({
        sender: `${shop}@s.whatsapp.net`,
        destination: scene.receiver.url,
        server_url: PUBLIC_URL,
        apikey: null,
      })
    })

    it('say whose message a reaction, an edit, a deletion and a vote are about', () => {
      const { number } = scene
      const remoteJid = `${number}@s.whatsapp.net`
      expect(made['reaction'].data.message.reactionMessage.key).to.include({ fromMe: true, remoteJid })
      expect(made['edit'].data.key).to.include({ fromMe: false, remoteJid })
      expect(made['edit'].data.editedMessage.conversation).to.equal('second')
      expect(made['revoke'].data).to.include({ id: made['text'].data.key.id, fromMe: false, remoteJid })
      expect(made['vote'].data.message.pollUpdateMessage.vote.selectedOptions).to.deep.equal(['Two'])
      expect(made['reply'].data.contextInfo.stanzaId).to.equal(made['own'].data.key.id)
      expect(made['group'].data.key).to.include({ participant: remoteJid })
    })

    it('tell what was sent through the gateway from what the phone sent', async () => {
      const { session, number } = scene
      const id = await session.phone.send(number, { Text: 'from the phone' })
      const { event, data } = await scene.body(is.message(id))
      expect([event, data.key.fromMe, made['own'].event]).to.deep.equal([
        'messages.upsert',
        true,
        'send.message',
      ])
    })

    it('have the documented shape, key by key, except for what the README lists', async () => {
      const { session } = scene
      await session.post('/session/disconnect', {})
      await session.post('/session/connect', {})
      made['status'] = await scene.body(
        ({ event, data }) => event === 'connection.update' && data.state === 'open',
      )
      made['qr'] = await qrBody(scene, 'evolution', ({ event }) => event === 'qrcode.updated')
      expect(compare('evolution', made)).to.deep.equal({ differences: [], idle: [] })
    })

    it('carry the key of the instance where the gateway shows tokens', async () => {
      const { world, receiver } = scene
      const { data } = await world.gateway.post(
        '/webhook/global',
        { URL: `${receiver.url}/all`, Format: 'evolution', IncludeToken: true, Subscribe: ['Message'] },
        admin,
      )
      await scene.say('with its key')
      const found = await receiver.wait(
        ({ path, body }) => path.endsWith('/all') && body.includes('with its key'),
      )
      expect(JSON.parse(found.body).apikey).to.equal(scene.session.token)
      await world.gateway.call('DELETE', '/webhook/global', { headers: admin, body: { Id: data.Id } })
    })
  })
}
