import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { PhoneView } from './types.ts'

export interface CallsProps {
  phone: PhoneView
  /** The other phones. */
  phones: readonly PhoneView[]
  act(action: object): Promise<unknown>
}

/** The current calls, and how the last one ended. */
export function Calls({ phone, phones, act }: CallsProps) {
  const last = phone.Calls.at(-1)
  if (!last) return null
  const name = phones.find(({ LID }) => LID === last.Chat)?.Name ?? last.Chat
  const isOver = last.State === 'ended' || last.State === 'rejected'
  const run = (Action: string) => () => act({ Action, Chat: last.Chat, Id: last.ID })
  const title = last.FromMe ? t('phones.calling', { name }) : t('phones.callFrom', { name })
  return (
    <div class={isOver ? 'phone-call phone-call-over' : 'phone-call'}>
      <span role="status">
        {title} · {t(STATES[last.State] ?? 'phones.callEnded')}
      </span>
      {!isOver && !last.FromMe && last.State === 'ringing' ? (
        <>
          <Button onPress={run('acceptCall')}>{t('phones.accept')}</Button>
          <Button onPress={run('rejectCall')}>{t('phones.reject')}</Button>
        </>
      ) : null}
      {!isOver && (last.FromMe || last.State === 'accepted') ? (
        <Button kind="danger" onPress={run('hangUp')}>
          {t('phones.hangUp')}
        </Button>
      ) : null}
    </div>
  )
}

const STATES: Readonly<
  Record<string, 'phones.callRinging' | 'phones.callAccepted' | 'phones.callRejected' | 'phones.callEnded'>
> = {
  ringing: 'phones.callRinging',
  accepted: 'phones.callAccepted',
  rejected: 'phones.callRejected',
  ended: 'phones.callEnded',
}
