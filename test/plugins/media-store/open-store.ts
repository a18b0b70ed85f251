import mediaStore from '../../../plugins/media-store/index.ts'
import mediaStoreS3 from '../../../plugins/media-store-s3/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop } from '../../support/world.ts'

/** A file that was received. */
interface Stored {
  readonly url: string
  readonly seq: number
}

/** A shop whose received files are stored. */
export async function openStore(config: Record<string, Record<string, unknown>>) {
  const extra = config['media-store-s3'] ? [mediaStore, mediaStoreS3] : [mediaStore]
  const { world, session, ana } = await openShop({ extra, config })
  return {
    world,
    session,
    ana,
    /** Sends a file to the session; resolves with the link in its event. */
    async receive(bytes: Buffer): Promise<Stored> {
      const document = `data:application/octet-stream;base64,${bytes.toString('base64')}`
      const id = await send(ana, session, document)
      const event = await eventually(async () => {
        const { Events } = (await session.get('/events?limit=500&class=Message')).data
        return (Events as Logged[]).find((one) => one.event.Info.ID === id)
      }, 'message logged')
      return { url: event.mediaUrl, seq: event.seq }
    },
    download: async (url: string, redirect: 'follow' | 'manual' = 'follow') =>
      fetch(new URL(url, world.gateway.url), { redirect }),
    stateOf: async () =>
      (await world.gateway.get('/server/consumers', admin)).data.Consumers.find(
        ({ Name }: { Name: string }) => Name === 'media-store',
      ),
  }
}

interface Logged {
  readonly seq: number
  readonly mediaUrl: string
  readonly event: { readonly Info: { readonly ID: string } }
}

const send = (ana: Phone, { phone }: LinkedSession, document: string): Promise<string> =>
  ana.send(phone.account.phone, { Message: { document, fileName: 'file.bin' } })

export type OpenStore = Awaited<ReturnType<typeof openStore>>

export const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())
