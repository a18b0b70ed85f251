import './session.css'
import { useSignal } from '@preact/signals'
import { login, offers } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { isAdmin } from '../../parts/sessions.ts'
import { to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { Summary } from '../fleet/summary.ts'
import { DeleteSession } from './delete.tsx'
import { EditLabels } from './labels.tsx'
import { ProxyRow } from './proxy.tsx'
import { RenameSession } from './rename.tsx'
import { Row } from './row.tsx'
import { RotateToken } from './token.tsx'

type Dialog = '' | 'name' | 'labels' | 'token' | 'delete'

export interface ManageProps {
  session: Summary
  /** How many keys may act for it; undefined until known, and for a login by a key, which may not read them. */
  keyCount: number | undefined
  /** After its token is rotated, by which keys may be revoked. */
  onRotated(): Promise<void>
  /** After a change that the stream of summaries does not announce. */
  onChanged(): Promise<void>
  /** @param warning '' if the device was unlinked too */
  onDeleted(warning: string): void
}

/** What an operator sets for a session: a row for each, with its value and the button that changes it. */
export function Manage({ session, keyCount, onRotated, onChanged, onDeleted }: ManageProps) {
  const { Id, Name, Labels } = session
  const open = useSignal<Dialog>('')
  const close = (): void => {
    open.value = ''
  }
  const change = (dialog: Dialog, text: string, kind: 'plain' | 'danger' = 'plain') => (
    <Button kind={kind} onPress={() => (open.value = dialog)}>
      {text}
    </Button>
  )
  const place = encodeURIComponent(Id)
  const labels = Object.entries(Labels)
  const saved = async (): Promise<void> => {
    close()
    await onChanged()
  }
  return (
    <section class="card stack manage" aria-labelledby="manage">
      <h2 id="manage">{t('session.manage')}</h2>
      <dl>
        <Row title={t('session.name')} action={change('name', t('session.renameRun'))}>
          {Name || <span class="muted">{t('session.noName')}</span>}
        </Row>
        <Row title={t('session.labels')} action={change('labels', t('session.editLabels'))}>
          <span class="row">
            {labels.map(([name, value]) => (
              <Badge key={name}>{value ? `${name}: ${value}` : name}</Badge>
            ))}
            {labels.length === 0 ? <span class="muted">{t('session.noLabels')}</span> : null}
          </span>
        </Row>
        {login.value?.Kind === 'key' ? null : (
          <Row title={t('session.token')} action={change('token', t('session.rotate'))}>
            <span class="muted">{t('session.tokenHint')}</span>
          </Row>
        )}
        {keyCount === undefined ? null : (
          <Row
            title={t('keys.title')}
            action={
              <a class="button" href={to(`/keys?session=${place}&new=${place}`)}>
                {t('keys.create')}
              </a>
            }
          >
            {keyCount > 0 ? (
              <a href={to(`/keys?session=${place}`)}>{t('session.keyCount', { count: keyCount })}</a>
            ) : (
              <span class="muted">{t('session.noKeys')}</span>
            )}
          </Row>
        )}
        {offers('proxy') ? <ProxyRow session={Id} /> : null}
        {offers('settings') ? (
          <Row
            title={t('session.plugins')}
            action={
              <a class="button" href={to(`/sessions/${place}/settings`)}>
                {t('settings.title')}
              </a>
            }
          >
            <span class="muted">{t('session.pluginsHint')}</span>
          </Row>
        ) : null}
        {isAdmin() ? (
          <Row title={t('session.delete')} action={change('delete', t('session.deleteTitle'), 'danger')}>
            <span class="muted">{t('session.deleteHint')}</span>
          </Row>
        ) : null}
      </dl>
      <RenameSession session={session} isOpen={open.value === 'name'} onClose={close} onSaved={saved} />
      <EditLabels session={session} isOpen={open.value === 'labels'} onClose={close} onSaved={saved} />
      <RotateToken session={session} isOpen={open.value === 'token'} onClose={close} onRotated={onRotated} />
      <DeleteSession
        session={session}
        isOpen={open.value === 'delete'}
        onClose={close}
        onDeleted={onDeleted}
      />
    </section>
  )
}
