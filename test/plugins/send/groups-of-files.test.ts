import { expect } from 'chai'
import { SAMPLES } from '../../../plugins/messaging/samples.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { picture } from '../../support/picture.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

for (const engine of engines)
  describe(`video notes, loops, albums and lists of contacts on ${engine.name}`, () => {
    const probe = createProbe()
    let world: World
    let session: LinkedSession
    let ana: Phone
    let image: string
    before(async () => {
      ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }, engine))
      image = await picture()
    })
    after(() => world.stop())

    const to = () => ({ Phone: ana.account.phone })
    const post = (path: string, body: object) => session.post(path, { ...to(), ...body })
    const does = async (path: string, body: object) => {
      const { data, status, error, details } = await post(path, body)
      expect(status, `${error} ${details}`).to.equal(200)
      return data
    }
    const got = async (Id: string) => {
      const message = await ana.wait(({ id }) => id === Id)
      const shown = ana.display
        .page(session.phone.account.lid, Number.MAX_SAFE_INTEGER, 200)
        .find(({ ID }) => ID === Id)
      return { ...message, shown }
    }
    const event = async (Id: string) => {
      const { body } = await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === Id)
      return body['message'] as { type: string; isFromMe: boolean }
    }
    const isSilent = async (work: () => Promise<void>): Promise<void> => {
      const before = ana.messages().length
      await work()
      await got((await does('/send/text', { Body: 'after it' })).Id)
      expect(ana.messages()).to.have.length(before + 1)
    }
    const isInvalid = async (path: string, body: object, error: string): Promise<void> => {
      const answer = await post(path, body)
      expect({ status: answer.status, error: answer.error }).to.deep.equal({ status: 400, error })
    }

    shows('POST /send/video', 'shows a video note with its file and preview', async () => {
      const { Id } = await does('/send/video', { Video: SAMPLES.video, Ptv: true, JpegThumbnail: image })
      const { raw, media, shown } = await got(Id)
      expect(raw.videoMessage ?? null).to.equal(null)
      expect(raw.ptvMessage?.jpegThumbnail?.length).to.be.greaterThan(0)
      expect(media).to.include({ mimetype: 'video/mp4' })
      expect(shown).to.include({ Kind: 'video note' })
      expect(await event(Id)).to.include({ type: 'videoNote', isFromMe: true })
    })

    shows('POST /send/video', 'shows a loop', async () => {
      const { Id } = await does('/send/video', { Video: SAMPLES.video, Gif: true, Caption: 'again' })
      const { raw, shown } = await got(Id)
      expect(raw.videoMessage).to.include({ gifPlayback: true, caption: 'again' })
      expect(shown).to.include({ Kind: 'gif', Text: 'again' })
      expect(await event(Id)).to.include({ type: 'video', isFromMe: true })
    })

    refuses('POST /send/video', 'a video note with what it cannot have', () =>
      isSilent(async () => {
        const note = (more: object, error: string) =>
          isInvalid('/send/video', { Video: SAMPLES.video, Ptv: true, ...more }, error)
        await note({ Caption: 'x' }, 'Invalid Caption: a video note has none')
        await note({ ViewOnce: true }, 'Invalid ViewOnce: not for video notes')
        await note({ Gif: true }, 'Invalid Gif: set it or Ptv, not both')
      }),
    )

    shows('POST /send/album', 'groups pictures and videos under one message', async () => {
      const Items = [{ Image: image, Caption: 'one' }, { Video: SAMPLES.video }, { Image: image }]
      const { Id, Items: ids } = await does('/send/album', { Items })
      expect(ids).to.have.length(3)
      const parent = await got(Id)
      expect(parent.raw.albumMessage).to.include({ expectedImageCount: 2, expectedVideoCount: 1 })
      const files = await Promise.all(ids.map(got))
      expect(files.map(({ shown }) => [shown?.Album, shown?.Kind, shown?.Text])).to.deep.equal([
        [Id, 'image', 'one'],
        [Id, 'video', ''],
        [Id, 'image', ''],
      ])
      expect(files.map(({ seq }) => seq)).to.deep.equal(files.map(({ seq }) => seq).sort((a, b) => a - b))
      expect(files[0]?.raw.messageContextInfo?.messageAssociation).to.deep.nested.include({
        'parentMessageKey.id': Id,
        'parentMessageKey.fromMe': true,
      })
      expect(await event(Id)).to.include({ type: 'album', isFromMe: true })
    })

    shows('POST /send/album', 'is sent once for an Id or key', async () => {
      const Items = [{ Image: image }, { Image: image }]
      const first = await does('/send/album', { Items, Id: 'ALBUM1' })
      const again = await does('/send/album', { Items, Id: 'ALBUM1' })
      expect(again).to.deep.equal(first)
      const headers = { ...session.headers, 'Idempotency-Key': 'album-2', Prefer: 'respond-async' }
      const keyed = () => world.gateway.post('/send/album', { ...to(), Items }, headers)
      const [one, two] = [await keyed(), await keyed()]
      expect(two.data).to.deep.equal(one.data)
      for (const id of [...first.Items, ...one.data.Items]) await got(id)
      const all = ana.messages().map(({ id }) => id)
      expect(new Set(all).size).to.equal(all.length)
      const other = await post('/send/album', { Items: [...Items, { Image: image }], Id: 'ALBUM1' })
      expect(other.errorCode).to.equal('ID_REUSED')
    })

    refuses('POST /send/album', 'one file, and an item that is no file or two, before anything is sent', () =>
      isSilent(async () => {
        await isInvalid(
          '/send/album',
          { Items: [{ Image: image }] },
          'Invalid Items: at least 2 are required',
        )
        const twice = { Image: image, Video: SAMPLES.video }
        for (const item of [{ Caption: 'x' }, twice])
          await isInvalid(
            '/send/album',
            { Items: [{ Image: image }, item] },
            'Invalid Items[1]: must have Image or Video, and not both',
          )
        const broken = await post('/send/album', { Items: [{ Image: image }, { Image: '%%%' }] })
        expect(broken.status).to.equal(400)
        expect(broken.error).to.include('Items[1].Image')
      }),
    )

    shows('POST /send/contacts', 'shows all cards', async () => {
      const Contacts = [
        { FullName: 'Rui Costa', Phone: '5511977777777' },
        'BEGIN:VCARD\nVERSION:3.0\nFN:Eva Dias\nTEL;waid=5511966666666:+55 11 96666-6666\nEND:VCARD',
      ]
      const { Id } = await does('/send/contacts', { Contacts })
      const { raw, shown } = await got(Id)
      const cards = raw.contactsArrayMessage?.contacts ?? []
      expect(cards.map(({ displayName }) => displayName)).to.deep.equal(['Rui Costa', 'Eva Dias'])
      expect(cards[0]?.vcard).to.include('waid=5511977777777')
      expect(shown).to.include({ Text: 'Rui Costa + 1' })
      expect(await event(Id)).to.deep.include({
        type: 'contact',
        contacts: [
          { name: 'Rui Costa', phones: ['5511977777777'] },
          { name: 'Eva Dias', phones: ['5511966666666'] },
        ],
      })
    })

    refuses('POST /send/contacts', 'fewer than two, and a card without a number', () =>
      isSilent(async () => {
        const one = { FullName: 'Rui', Phone: '5511977777777' }
        await isInvalid(
          '/send/contacts',
          { Contacts: [one] },
          'Invalid Contacts: at least 2 cards are required',
        )
        const bad = await post('/send/contacts', { Contacts: [one, { FullName: 'X', Phone: 'none' }] })
        expect(bad.status).to.equal(400)
      }),
    )

    shows('POST /message/edit', 'changes the caption of a picture, and keeps its file', async () => {
      const { Id } = await does('/send/image', { Image: image, Caption: 'tpyo' })
      const { raw } = await got(Id)
      expect(await does('/message/edit', { Id, Body: 'typo' })).to.include({ Id })
      const edit = await ana.wait(({ raw: one }) => one.protocolMessage?.key?.id === Id)
      const edited = edit.raw.protocolMessage?.editedMessage?.imageMessage
      expect(edited).to.include({ caption: 'typo', directPath: raw.imageMessage?.directPath })
      expect(edit.attrs).to.include({ edit: '1' })
      expect((await got(Id)).shown).to.include({ Text: 'typo', Edited: true, Kind: 'image' })
    })

    refuses('POST /message/edit', 'files without a caption', async () => {
      const { Id } = await does('/send/sticker', { Sticker: image })
      await got(Id)
      await isSilent(() =>
        isInvalid('/message/edit', { Id, Body: 'x' }, 'Invalid Id: has no text or caption'),
      )
    })
  })
