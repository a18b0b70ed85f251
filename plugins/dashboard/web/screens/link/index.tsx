import './link.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { to } from '../../shell/navigate.ts'
import { t, textFor } from '../../text.ts'
import type { ScreenProps } from '../screen-props.ts'
import { HandOver } from './hand-over.tsx'
import { type LinkProgress, openLinking } from './linking.ts'
import { PairingCode } from './pairing-code.tsx'

export default function LinkScreen({ params }: ScreenProps) {
  const { id = '' } = params
  const linking = useMemo(() => openLinking(id), [id])
  const error = useSignal('')
  useEffect(() => {
    linking.start().catch((failure: unknown) => {
      error.value = textOf(failure)
    })
    return () => linking.close()
  }, [linking, error])
  const { view, live } = linking
  const state = view.value?.State
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    error.value = ''
    await work().catch((failure: unknown) => {
      error.value = textOf(failure)
    })
  }

  return (
    <Page
      title={t('link.title')}
      lead={<a href={to(`/sessions/${encodeURIComponent(id)}`)}>{t('link.toSession')}</a>}
      actions={<LiveState live={live} />}
    >
      <div class="linking">
        <div class="card stack">
          {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
          {state === 'linked' ? <Linked id={id} /> : null}
          {state === 'passkey' ? <Passkey id={id} linking={linking} attempt={attempt} /> : null}
          {state === 'failed' ? (
            <>
              <Notice kind="bad">
                {textFor('link', `failed_${view.value?.Reason}`) ?? t('link.failed')}
              </Notice>
              <div>
                <Button kind="primary" onPress={() => attempt(linking.again)}>
                  {t('shell.retry')}
                </Button>
              </div>
            </>
          ) : null}
          {state === 'finishing' ? <Notice kind="info">{t('link.finishing')}</Notice> : null}
          {state === 'waiting' ? <Notice kind="warn">{t('link.waiting')}</Notice> : null}
          {state === undefined || state === 'preparing' || state === 'scan' ? (
            <Ways id={id} linking={linking} />
          ) : null}
        </div>
        {state === 'linked' ? null : <HandOver session={id} />}
      </div>
    </Page>
  )
}

function Ways({ id, linking }: { id: string; linking: LinkProgress }) {
  const { image, secondsLeft } = linking.qr
  const way = useSignal('qr')
  const tabs = [
    { name: 'qr', title: t('link.byQr') },
    { name: 'code', title: t('link.byCode') },
  ]
  return (
    <Tabs label={t('link.ways')} tabs={tabs} selected={way.value} onSelect={(name) => (way.value = name)}>
      {way.value === 'code' ? (
        <PairingCode session={id} />
      ) : (
        <div class="qr-part">
          <div class="qr">
            {image.value ? (
              <img src={image.value} alt={t('link.qrAlt')} width="320" height="320" />
            ) : (
              <p>{t('link.preparing')}</p>
            )}
          </div>
          <div class="stack">
            <ol class="steps">
              <li>{t('link.step1')}</li>
              <li>{t('link.step2')}</li>
              <li>{t('link.step3')}</li>
            </ol>
            <p class="muted">{image.value ? t('link.newIn', { count: secondsLeft.value }) : ''}</p>
          </div>
        </div>
      )}
    </Tabs>
  )
}

function Linked({ id }: { id: string }) {
  return (
    <>
      <Notice kind="good">{t('link.linked')}</Notice>
      <div class="row">
        <a class="button button-primary" href={to(`/sessions/${encodeURIComponent(id)}`)}>
          {t('link.toSession')}
        </a>
        <a class="button" href={to('/composer')}>
          {t('link.toComposer')}
        </a>
      </div>
    </>
  )
}

interface PasskeyProps {
  id: string
  linking: LinkProgress
  attempt(work: () => Promise<unknown>): Promise<void>
}

/** The challenge is signed on the page of a one-time link, in the browser that has the passkey; codes are compared here. */
function Passkey({ id, linking, attempt }: PasskeyProps) {
  const { Step, Code } = linking.view.value ?? {}
  if (Step === 'failed')
    return (
      <>
        <Notice kind="bad">{t('link.passkeyFailed')}</Notice>
        <div>
          <Button kind="primary" onPress={() => attempt(linking.again)}>
            {t('shell.retry')}
          </Button>
        </div>
      </>
    )
  if (Step !== 'confirm')
    return <Notice kind="info">{t(Step === 'challenge' ? 'link.passkeySign' : 'link.passkeyWait')}</Notice>
  return (
    <>
      <h2>{t('link.compare')}</h2>
      <p>{t('link.compareLead')}</p>
      <p class="code mono">{Code}</p>
      <div class="row">
        <Button
          kind="primary"
          onPress={() => attempt(() => api.post('/session/passkey/confirm', undefined, of(id)))}
        >
          {t('link.codesEqual')}
        </Button>
        <Button
          kind="danger"
          onPress={() => attempt(() => api.post('/session/disconnect', undefined, of(id)))}
        >
          {t('link.codesDiffer')}
        </Button>
      </div>
    </>
  )
}
