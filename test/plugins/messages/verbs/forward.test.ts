import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../../support/databases.ts'
import { picture } from '../../../support/picture.ts'
import { refuses, shows } from '../../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../../support/world.ts'
import { type Hook, hookOf } from '../hook.ts'

for (const engine of engines)
  describe(`forwarding on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let hook: Hook
    let ana: Phone
    let bob: Phone
    before(async () => {
      ;({ world, session, ana } = await openShop({}, engine))
      hook = await hookOf(session)
      bob = await world.phone('Bob')
    })
    after(async () => {
      await hook.close()
      await world.stop()
    })

    const said = async (message: Record<string, unknown>): Promise<string> => {
      const id = await ana.send(session.phone.account.phone, { Message: message })
      await hook.message(id)
      return id
    }
    const sent = async (path: string, body: object): Promise<string> => {
      const { data, error } = await session.post(path, { Phone: ana.account.phone, ...body })
      expect(data, error).to.include({ Details: 'Sent' })
      return data.Id
    }
    const forward = (Id: string, more: object = {}) =>
      session.post('/message/forward', { Phone: bob.account.phone, Id, ...more })
    const forwarded = async (id: string, more: object = {}) => {
      const { data, error } = await forward(id, more)
      expect(data, error).to.include({ Details: 'Sent' })
      expect(data.Id).to.not.equal(id)
      return bob.wait((message) => message.id === data.Id)
    }
    const mark = (id: string): string | undefined =>
      bob.display.page(session.phone.account.lid, Number.MAX_SAFE_INTEGER, 200).find(({ ID }) => ID === id)
        ?.Forwarded

    shows(
      'POST /message/forward',
      'shows a text to the other chat, marked, and without its context',
      async () => {
        const contextInfo = {
          mentionedJid: [ana.account.jid],
          stanzaId: 'OLD',
          quotedMessage: { conversation: 'x' },
        }
        const id = await said({ extendedTextMessage: { text: 'pass it on', contextInfo } })
        const got = await forwarded(id, { FromChat: ana.account.phone })
        expect(got.message['extendedTextMessage']).to.deep.equal({
          text: 'pass it on',
          contextInfo: { forwardingScore: 1, isForwarded: true },
        })
        expect(mark(got.id)).to.equal('once')
        const { event, message } = await hook.message(got.id)
        expect(event.Info).to.include({ IsFromMe: true, Chat: bob.account.jid })
        expect(message).to.include({ type: 'text', text: 'pass it on', isForwarded: true })
      },
    )

    shows('POST /message/forward', 'counts, and five times are many', async () => {
      const text = (forwardingScore: number) =>
        said({ extendedTextMessage: { text: 'chain', contextInfo: { isForwarded: true, forwardingScore } } })
      const scores = []
      for (const score of [3, 4, 127]) {
        const { id, raw } = await forwarded(await text(score))
        scores.push([raw.extendedTextMessage?.contextInfo?.forwardingScore, mark(id)])
      }
      expect(scores).to.deep.equal([
        [4, 'once'],
        [5, 'many times'],
        [127, 'many times'],
      ])
    })

    shows(
      'POST /message/forward',
      'does not mark what the account has written itself, until it was forwarded',
      async () => {
        const own = await sent('/send/text', { Body: 'of the shop' })
        const first = await forwarded(own)
        expect(mark(first.id)).to.equal(undefined)
        const received = await forwarded(await said({ conversation: 'of Ana' }))
        const second = await forwarded(received.id)
        expect(second.raw.extendedTextMessage).to.deep.nested.include({ 'contextInfo.forwardingScore': 2 })
      },
    )

    shows('POST /message/forward', 'passes a file on without uploading it again', async () => {
      const image = await picture()
      const id = await said({ image, caption: 'look' })
      const { raw } = ana.messages().find((message) => message.id === id) ?? {}
      const got = await forwarded(id)
      const [before, after] = [raw?.imageMessage, got.raw.imageMessage]
      expect(after).to.include({ caption: 'look', directPath: before?.directPath })
      expect(Buffer.from(after?.mediaKey ?? [])).to.deep.equal(Buffer.from(before?.mediaKey ?? []))
      expect(got.media).to.include({ size: Buffer.from(image.split(',')[1] ?? '', 'base64').length })
      const own = await sent('/send/image', { Image: image })
      expect((await forwarded(own)).media?.sha256).to.equal(got.media?.sha256)
    })

    shows(
      'POST /message/forward',
      'keeps the caption of a document, and the timer of the new chat alone',
      async () => {
        const document = await picture()
        const id = await said({ document, fileName: 'a.png', caption: 'the plan' })
        await bob.act({ Action: 'setTimer', Chat: session.phone.account.phone, Data: { Seconds: 86400 } })
        await hook.wait('DisappearingTimer', ({ Timer }) => Timer === 86400)
        const got = await forwarded(id)
        expect(got.raw.documentMessage).to.include({ caption: 'the plan', fileName: 'a.png' })
        expect(got).to.include({ expiration: 86400 })
        await bob.act({ Action: 'setTimer', Chat: session.phone.account.phone, Data: { Seconds: 0 } })
        await hook.wait('DisappearingTimer', ({ Timer }) => Timer === 0)
      },
    )

    shows('POST /message/forward', 'forwards once for an Idempotency-Key', async () => {
      const id = await said({ conversation: 'only once' })
      const headers = { ...session.headers, 'Idempotency-Key': `forward-${id}` }
      const post = () => world.gateway.post('/message/forward', { Phone: bob.account.phone, Id: id }, headers)
      const [first, second] = [await post(), await post()]
      expect(second.data).to.deep.equal(first.data)
      const last = await forwarded(await said({ conversation: 'the last' }))
      const copies = bob.messages().filter(({ raw }) => raw.extendedTextMessage?.text === 'only once')
      expect(copies.map(({ id }) => id)).to.deep.equal([first.data.Id])
      expect(last.raw.extendedTextMessage?.text).to.equal('the last')
    })

    refuses(
      'POST /message/forward',
      'unknown messages, those of another chat, and what apps do not forward',
      async () => {
        const poll = { name: 'Which?', options: [{ optionName: 'a' }], selectableOptionsCount: 1 }
        const image = await picture()
        const before = bob.messages().length
        const text = await said({ conversation: 'not to be seen' })
        expect(await forward('NOWHERE')).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
        expect(await forward(text, { FromChat: bob.account.phone })).to.include({
          status: 404,
          errorCode: 'MESSAGE_UNKNOWN',
        })
        const sentOnce = await sent('/send/image', { Image: image, ViewOnce: true })
        expect(await forward(sentOnce)).to.include({
          status: 400,
          error: 'Invalid Id: can be viewed only once',
        })
        for (const message of [
          { pollCreationMessageV3: poll },
          { liveLocationMessage: { degreesLatitude: 1 } },
        ])
          expect(await forward(await said(message))).to.include({
            status: 400,
            error: 'Invalid Id: is not a text, file, place, contact or invitation',
          })
        const newsletter = await session.post('/message/forward', {
          Phone: '120363171234567890@newsletter',
          Id: await said({ image }),
        })
        expect(newsletter.error).to.match(/^Invalid Phone: /)
        await session.post('/send/text', { Phone: bob.account.phone, Body: 'after it' })
        await bob.wait(({ raw }) => raw.extendedTextMessage?.text === 'after it')
        expect(bob.messages()).to.have.length(before + 1)
      },
    )

    refuses('POST /message/forward', 'a chat that the key does not see, at either end', async () => {
      const { data } = await session.post('/keys', {
        Name: 'bob',
        Scopes: ['send'],
        Chats: [bob.account.phone],
      })
      const id = await said({ conversation: 'a secret of Ana' })
      const post = (body: object) => world.gateway.post('/message/forward', body, { token: data.Key })
      const before = bob.messages().length
      expect(await post({ Phone: bob.account.phone, Id: id })).to.include({ status: 404 })
      expect((await post({ Phone: bob.account.phone, Id: id, FromChat: ana.account.phone })).status).to.equal(
        403,
      )
      expect((await post({ Phone: ana.account.phone, Id: id })).status).to.equal(403)
      await session.post('/send/text', { Phone: bob.account.phone, Body: 'after that' })
      await bob.wait(({ raw }) => raw.extendedTextMessage?.text === 'after that')
      expect(bob.messages()).to.have.length(before + 1)
    })
  })
