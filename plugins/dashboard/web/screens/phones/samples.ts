/** A picture with a name and the time, which makes each one different. PNG data URL. */
export function samplePicture(name: string): string {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 320, height: 200 })
  const context = canvas.getContext('2d')
  if (!context) return ''
  const fill = context.createLinearGradient(0, 0, 320, 200)
  fill.addColorStop(0, '#0b6b4f')
  fill.addColorStop(1, '#17508f')
  context.fillStyle = fill
  context.fillRect(0, 0, 320, 200)
  context.fillStyle = '#ffffff'
  context.font = 'bold 28px sans-serif'
  context.fillText(name.slice(0, 18), 24, 96)
  context.font = '18px sans-serif'
  context.fillText(new Date().toISOString().slice(11, 19), 24, 132)
  return canvas.toDataURL('image/png')
}

const RATE = 8_000

/** One second of two tones as WAV data URL, so no microphone is needed. */
export function sampleVoice(): string {
  const bytes = new Uint8Array(44 + RATE * 2)
  const view = new DataView(bytes.buffer)
  const text = (at: number, word: string): void => {
    for (let i = 0; i < word.length; i += 1) view.setUint8(at + i, word.charCodeAt(i))
  }
  text(0, 'RIFF')
  view.setUint32(4, 36 + RATE * 2, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, RATE, true)
  view.setUint32(28, RATE * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, RATE * 2, true)
  for (let i = 0; i < RATE; i += 1) {
    const pitch = i < RATE / 2 ? 440 : 554
    view.setInt16(44 + i * 2, Math.sin((i / RATE) * 2 * Math.PI * pitch) * 6_000, true)
  }
  return `data:audio/wav;base64,${btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(''))}`
}
