import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fileTypeFromBuffer } from 'file-type'
import sharp from 'sharp'
import { addErrors } from '../../../kernel/errors.ts'
import { opusSeconds, toWaveform } from '../../../plugins/media/worker/sound.ts'
import { errors } from '../../../plugins/messaging/errors.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { openMedia } from '../../support/media.ts'
import { hasFfmpeg, sample, voice, wav } from '../../support/samples.ts'

// Otherwise added by a gateway.
addErrors(errors)

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: Error) => `${(error as { status?: number }).status} ${error.message}`,
  )

describe('conversions without ffmpeg', () => {
  const media = openMedia({ ffmpeg: '/nonexistent', ffprobe: '/nonexistent' })
  after(() => media.close())
  const mp4 = Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypisom\0\0\0\0isommp42'),
    Buffer.alloc(64),
  ])

  it('accept a voice message in the right format, with its length', async () => {
    const { bytes, ...rest } = await media.audio('Audio', voice(3), 'voice')
    expect(bytes.toString('base64')).to.equal(voice(3))
    expect(rest).to.deep.equal({ mime: 'audio/ogg; codecs=opus', isVoice: true, seconds: 3 })
  })

  it('refuse other audio as a voice message, naming ffmpeg', async () => {
    const refusal = await refusalOf(media.audio('Audio', wav(1), 'voice'))
    expect(refusal).to.include('415 Unsupported media in Audio').and.include('ffmpeg is not installed')
  })

  it('keep other audio unchanged if a voice message is optional', async () => {
    expect(await media.audio('Audio', wav(1), 'best')).to.include({ mime: 'audio/wav', isVoice: false })
  })

  it('refuse a sticker from a video, and omit optional properties of a video', async () => {
    const refusal = await refusalOf(media.sticker('Sticker', mp4.toString('base64')))
    expect(refusal).to.include('415 Unsupported media in Sticker').and.include('ffmpeg is not installed')
    const { bytes, ...rest } = await media.video('Video', mp4.toString('base64'))
    expect(rest).to.deep.equal({ mime: 'video/mp4' })
    expect(bytes.equals(mp4)).to.equal(true)
  })
})

describe('conversions with ffmpeg', () => {
  const media = openMedia()
  const folder = temporaryFolder()
  before(async function () {
    if (!(await hasFfmpeg)) this.skip()
  })
  after(() => media.close())

  it('convert any audio to a voice message, with length and waveform', async () => {
    // Two seconds of silence, then two of sound.
    const film = sample('m4a', '-f lavfi -i sine=f=440:d=2 -af adelay=2000')
    const { bytes, mime, isVoice, seconds, waveform } = await media.audio('Audio', film, 'best')
    expect(await fileTypeFromBuffer(bytes)).to.include({ mime: 'audio/ogg; codecs=opus' })
    expect({ mime, isVoice }).to.deep.equal({ mime: 'audio/ogg; codecs=opus', isVoice: true })
    expect(seconds).to.be.closeTo(4, 0.2)
    expect(waveform).to.have.length(64)
    expect([...(waveform ?? [])].slice(0, 30).every((level) => level < 10)).to.equal(true)
    expect([...(waveform ?? [])].slice(34, 62).every((level) => level > 70 && level <= 100)).to.equal(true)
  })

  it('measure unconverted audio', async () => {
    const { bytes, seconds, isVoice } = await media.audio('Audio', wav(2), 'file')
    expect({ seconds, isVoice }).to.deep.equal({ seconds: 2, isVoice: false })
    expect(bytes.toString('base64')).to.equal(wav(2))
  })

  it('measure a video and extract its first frame', async () => {
    const film = sample('mp4', '-f lavfi -i testsrc=s=320x180:d=1:r=10 -pix_fmt yuv420p')
    const { width, height, seconds, thumbnail } = await media.video('Video', film)
    expect({ width, height, seconds }).to.deep.equal({ width: 320, height: 180, seconds: 1 })
    expect(await sharp(thumbnail).metadata()).to.include({ format: 'jpeg', width: 72 })
  })

  it('report the size of a video with its rotation applied', async () => {
    const ffprobe = join(folder, 'ffprobe')
    const stream = '{"codec_type":"video","width":320,"height":180,"side_data_list":[{"rotation":-90}]}'
    writeFileSync(ffprobe, `#!/bin/sh\necho '{"streams":[${stream}]}'\n`, { mode: 0o700 })
    const film = sample('mp4', '-f lavfi -i testsrc=s=320x180:d=1:r=1 -pix_fmt yuv420p')
    const turned = openMedia({ ffprobe })
    const { width, height } = await turned.video('Video', film)
    await turned.close()
    expect({ width, height }).to.deep.equal({ width: 180, height: 320 })
  })

  it('convert a video to an animated sticker', async () => {
    const film = sample('mp4', '-f lavfi -i testsrc=s=320x180:d=1:r=10 -pix_fmt yuv420p')
    const { bytes, mime, isAnimated } = await media.sticker('Sticker', film)
    expect({ mime, isAnimated }).to.deep.equal({ mime: 'image/webp', isAnimated: true })
    const { format, width, pageHeight, pages } = await sharp(bytes, { animated: true }).metadata()
    expect({ format, width, pageHeight }).to.deep.equal({ format: 'webp', width: 512, pageHeight: 512 })
    expect(pages).to.be.greaterThan(5)
  })

  it('refuse a file that is only labelled as audio', async () => {
    const refusal = await refusalOf(media.audio('Audio', 'data:audio/mpeg;base64,aGVsbG8gd29ybGQ=', 'voice'))
    expect(refusal).to.include('415 Unsupported media in Audio')
  })

  it('refuse a playlist, which could name other files', async () => {
    const secret = join(folder, 'secret.aac')
    writeFileSync(secret, Buffer.from(sample('aac', '-f lavfi -i sine=d=1'), 'base64'))
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`
    const text = `data:audio/mpegurl;base64,${Buffer.from(playlist).toString('base64')}`
    const refusal = await refusalOf(media.audio('Audio', text, 'voice'))
    expect(refusal).to.include('415 Unsupported media in Audio')
  })

  it('stop a conversion that takes too long, and leave no file behind', async () => {
    const hasty = openMedia({ convertTimeoutMs: 5 })
    const refusal = await refusalOf(hasty.audio('Audio', wav(60), 'voice'))
    expect(refusal).to.include('415').and.include('it takes too long')
    const [worker = ''] = readdirSync(join(hasty.dataDir, 'media-work'))
    expect(readdirSync(join(hasty.dataDir, 'media-work', worker))).to.deep.equal([])
    await hasty.close()
    expect(readdirSync(join(hasty.dataDir, 'media-work'))).to.deep.equal([])
  })
})

describe('waveforms', () => {
  it('use the length of the last Ogg page, less the skipped samples', () => {
    expect(opusSeconds(Buffer.from(voice(2.5), 'base64'))).to.equal(2.5)
    for (const bytes of [Buffer.alloc(0), Buffer.from('OpusHead OggS'), Buffer.from('nothing')])
      expect(opusSeconds(bytes)).to.equal(undefined)
  })

  it('have 64 levels, scaled to 100', () => {
    const samples = Buffer.alloc(640 * 2)
    for (let index = 320; index < 640; index += 1) samples.writeInt16LE(index % 2 ? 900 : -900, index * 2)
    expect([...toWaveform(samples)]).to.deep.equal([...Array(32).fill(0), ...Array(32).fill(100)])
    expect([...toWaveform(Buffer.alloc(0))]).to.deep.equal(Array(64).fill(0))
  })
})
