import type { Ffmpeg } from './ffmpeg.ts'

/** The properties that phones show for audio before they download it. */
export interface Sound {
  seconds?: number
  /** Loudness of 64 segments, 0 to 100. */
  waveform?: Buffer
}

const STRETCHES = 64

/** Length and waveform of a voice message; only its length without ffmpeg, or if the time is over. */
export async function analyzeSound(ffmpeg: Ffmpeg, ogg: Buffer): Promise<Sound> {
  const seconds = opusSeconds(ogg)
  const samples = (await ffmpeg.isThere()) ? await ffmpeg.samples(ogg).catch(() => undefined) : undefined
  return { ...(seconds ? { seconds } : {}), ...(samples ? { waveform: toWaveform(samples) } : {}) }
}

/** The mean loudness of each segment, scaled so that the loudest is 100. */
export function toWaveform(samples: Buffer): Buffer {
  const count = Math.floor(samples.length / 2)
  const means = Array.from({ length: STRETCHES }, (_, stretch) => {
    const from = Math.floor((stretch * count) / STRETCHES)
    const to = Math.floor(((stretch + 1) * count) / STRETCHES)
    let sum = 0
    for (let index = from; index < to; index += 1) sum += Math.abs(samples.readInt16LE(index * 2))
    return to > from ? sum / (to - from) : 0
  })
  const loudest = Math.max(...means, 1)
  return Buffer.from(means.map((mean) => Math.round((mean / loudest) * 100)))
}

/** RFC 7845: the last page has the number of 48 kHz samples, the head how many of them to skip. */
export function opusSeconds(ogg: Buffer): number | undefined {
  const head = ogg.indexOf('OpusHead')
  const last = ogg.lastIndexOf('OggS')
  if (head < 0 || last < 0 || ogg.length < Math.max(head + 12, last + 14)) return undefined
  const samples = Number(ogg.readBigInt64LE(last + 6)) - ogg.readUInt16LE(head + 10)
  return samples > 0 ? samples / 48_000 : undefined
}
