import type { Live } from '../live.ts'
import { t } from '../text.ts'
import { Badge } from './badge.tsx'

/** Whether the screen is live. */
export function LiveState({ live }: { live: Live | undefined }) {
  const state = live?.state.value ?? 'connecting'
  return (
    <span role="status">
      {state === 'live' ? <Badge tone="good">{t('shell.live')}</Badge> : null}
      {state === 'connecting' ? <Badge>{t('shell.liveConnecting')}</Badge> : null}
      {state === 'waiting' ? <Badge tone="warn">{t('shell.liveWaiting')}</Badge> : null}
      {state === 'ended' ? <Badge tone="bad">{live?.reason.value || t('shell.liveEnded')}</Badge> : null}
    </span>
  )
}
