import { extname } from 'node:path'
import { asFunction, definePlugin, T } from 'wamux/plugin'
import { errors } from './errors.ts'
import { createMedia, type Media } from './media.ts'
import { createProcesses, type ProcessDeps } from './process/processes.ts'
import { routes } from './routes.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    media: Media
  }
}

/** Beside this module also in a bundle, whatever file of it has the code that starts the process. */
const WORKER = new URL(`worker/main${extname(import.meta.url)}`, import.meta.url)

/** Decodes and converts the files of requests for sending. */
export default definePlugin({
  name: 'media',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  config: T.Object({
    maxBytes: T.Integer({
      default: 48 * 1024 * 1024,
      minimum: 1024,
      description: 'Largest file in bytes',
    }),
    maxPixels: T.Integer({
      default: 64_000_000,
      minimum: 10_000,
      description: 'Largest picture in pixels',
    }),
    fetchTimeoutMs: T.Integer({
      default: 30_000,
      minimum: 100,
      description: 'Milliseconds for downloading a file given as a link',
    }),
    ffmpeg: T.String({ default: 'ffmpeg', description: 'Program that converts audio and video' }),
    ffprobe: T.String({ default: 'ffprobe', description: 'Program that measures audio and video' }),
    pdfinfo: T.String({ default: 'pdfinfo', description: 'Program that counts the pages of PDF files' }),
    pdftoppm: T.String({
      default: 'pdftoppm',
      description: 'Program that draws the first page of PDF files',
    }),
    convertTimeoutMs: T.Integer({
      default: 10_000,
      minimum: 100,
      description: 'Milliseconds for one conversion; a video to MP4 has six times as long',
    }),
  }),
  errors,
  wants: ['httpClient'],
  provides: ['media'],
  routes,
  services: () => ({
    processes: asFunction((deps: ProcessDeps) => createProcesses(WORKER, deps))
      .singleton()
      .disposer((service) => service.close()),
    media: asFunction(createMedia).singleton(),
  }),
  setup: ({ processes }) => processes.prepare(),
})
