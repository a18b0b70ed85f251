import { expect } from 'chai'
import { fileTypeFromBuffer } from 'file-type'
import sharp from 'sharp'
import { picture } from '../../support/picture.ts'
import { hasFfmpeg, sample, voice } from '../../support/samples.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

const FILM = '-f lavfi -i testsrc=size=1600x900:rate=10:d=1 -f lavfi -i sine=d=1 -shortest'

describe('converting files by request', () => {
  let world: World
  let token: string
  before(async () => {
    world = await startWorld()
    token = (await world.gateway.post('/session/init', { Name: 'Converter' }, admin)).data.Token
  })
  after(() => world.stop())

  const convert = (body: object) => world.gateway.post('/media/convert', body, { token })
  async function converted(body: object) {
    const { data, error } = await convert(body)
    expect(data, error).to.be.an('object')
    const { Data, Bytes, Mimetype, ...rest } = data
    const bytes = Buffer.from(Data.slice(Data.indexOf(',') + 1), 'base64')
    expect(bytes).to.have.length(Bytes)
    return { bytes, Mimetype, rest, type: (await fileTypeFromBuffer(bytes))?.mime }
  }

  it('makes stickers and thumbnails of pictures, and leaves a picture that apps show', async () => {
    const File = await picture()
    const sticker = await converted({ File, To: 'sticker' })
    expect(sticker).to.deep.include({ type: 'image/webp', Mimetype: 'image/webp', rest: { Animated: false } })
    expect(await sharp(sticker.bytes).metadata()).to.include({ width: 512, height: 512 })
    const { bytes, Mimetype } = await converted({ File, To: 'thumbnail' })
    const { width, height } = await sharp(bytes).metadata()
    expect([Mimetype, Math.max(width, height)]).to.deep.equal(['image/jpeg', 72])
    const same = await converted({ File, To: 'picture' })
    expect(same.bytes.equals(Buffer.from(File.slice(File.indexOf(',') + 1), 'base64'))).to.equal(true)
  })

  it('makes voice messages, and videos that all apps play', async function () {
    if (!(await hasFfmpeg)) return this.skip()
    const sound = await converted({ File: sample('mp3', '-f lavfi -i sine=d=2'), To: 'voice' })
    expect(sound).to.include({ type: 'audio/ogg; codecs=opus', Mimetype: 'audio/ogg; codecs=opus' })
    expect(sound.rest.Seconds).to.be.closeTo(2, 0.2)
    expect(Buffer.from(sound.rest.Waveform, 'base64')).to.have.length(64)
    const film = await converted({ File: sample('webm', `${FILM} -c:v libvpx -c:a libvorbis`), To: 'video' })
    expect(film).to.include({ type: 'video/mp4', Mimetype: 'video/mp4' })
    expect(film.rest).to.include({ Width: 1280, Height: 720 })
    const again = await converted({ File: film.bytes.toString('base64'), To: 'video' })
    expect(again.bytes.equals(film.bytes), 'unchanged').to.equal(true)
    const frame = await converted({ File: film.bytes.toString('base64'), To: 'thumbnail' })
    expect(frame.type).to.equal('image/jpeg')
  })

  it('refuses what cannot have the form, naming the field', async () => {
    expect(await convert({ File: voice(1), To: 'sticker' })).to.include({ status: 415 })
    expect((await convert({ File: 'aGVsbG8=', To: 'voice' })).error).to.match(/^Unsupported media in File: /)
    expect((await convert({ File: voice(1), To: 'hologram' })).error).to.match(
      /^Invalid To: must be one of voice/,
    )
    expect((await convert({ To: 'voice' })).error).to.equal('Missing File in Payload')
    expect(await world.gateway.post('/media/convert', { File: voice(1), To: 'voice' })).to.include({
      status: 401,
    })
  })
})
