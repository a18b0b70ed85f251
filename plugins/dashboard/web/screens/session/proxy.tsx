import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { t } from '../../text.ts'
import { Row } from './row.tsx'

const KINDS = ['socks5', 'http', 'https', 'direct'] as const
type Kind = (typeof KINDS)[number]

interface Proxy {
  readonly kind: Kind
  /** Host and port. */
  readonly host: string
  readonly hasLogin: boolean
}

/** The proxy of a session, without its user and password. */
export function ProxyRow({ session }: { session: string }) {
  const stored = useLoad(() => api.get('/session/proxy', undefined, of(session)), [session])
  const open = useSignal<'' | 'set' | 'remove'>('')
  const { URL: url = 'direct', Source = 'none' } = stored.data.value ?? {}
  const proxy = parse(url)
  const close = (): void => {
    open.value = ''
  }
  const done = async (): Promise<void> => {
    close()
    await stored.reload()
  }
  return (
    <Row
      title={t('session.proxy')}
      action={
        <>
          {Source === 'session' ? (
            <Button onPress={() => (open.value = 'remove')}>{t('session.proxyRemove')}</Button>
          ) : null}
          <Button onPress={() => (open.value = 'set')}>{t('session.proxySet')}</Button>
          <SetProxy
            session={session}
            proxy={proxy}
            isOpen={open.value === 'set'}
            onClose={close}
            onSaved={done}
          />
          <FormDialog
            title={t('session.proxyRemove')}
            isOpen={open.value === 'remove'}
            onClose={close}
            submit={t('session.remove')}
            kind="danger"
            run={async () => {
              await api.delete('/session/proxy', undefined, of(session))
              await done()
            }}
          >
            <p>{t('session.proxyRemoveFollows')}</p>
          </FormDialog>
        </>
      }
    >
      {stored.error.value ? <span class="hint-bad">{stored.error.value}</span> : null}
      {proxy.kind === 'direct' ? (
        <span class="muted">{t('session.proxyNone')}</span>
      ) : (
        <>
          <code>{`${proxy.kind}://${proxy.host}`}</code>{' '}
          <span class="muted">
            {[
              proxy.hasLogin ? t('session.proxyLogin') : '',
              Source === 'gateway' ? t('session.proxyOfGateway') : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </>
      )}
    </Row>
  )
}

interface SetProps {
  session: string
  proxy: Proxy
  isOpen: boolean
  onClose(): void
  onSaved(): Promise<void>
}

/** Opens one connection through the proxy before it is stored, unless that is switched off. */
function SetProxy({ session, proxy, isOpen, onClose, onSaved }: SetProps) {
  const kind = useSignal<Kind>('socks5')
  const host = useSignal('')
  const user = useSignal('')
  const password = useSignal('')
  const isTested = useSignal(true)
  useEffect(() => {
    kind.value = proxy.kind === 'direct' ? 'socks5' : proxy.kind
    host.value = proxy.host
    user.value = ''
    password.value = ''
    isTested.value = true
  }, [isOpen])
  const isDirect = kind.value === 'direct'
  const login = user.value ? `${encodeURIComponent(user.value)}:${encodeURIComponent(password.value)}@` : ''
  const text = (label: string, own: typeof host, more: object = {}, hint = '') => (
    <Field label={label} hint={hint}>
      {(ties) => (
        <input
          {...ties}
          {...more}
          value={own.value}
          maxLength={512}
          spellcheck={false}
          onInput={({ currentTarget }) => (own.value = currentTarget.value)}
        />
      )}
    </Field>
  )
  return (
    <FormDialog
      title={t('session.proxySet')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t(isTested.value && !isDirect ? 'session.proxyTestSave' : 'settings.save')}
      isReady={isDirect || host.value.trim() !== ''}
      run={async () => {
        const url = isDirect ? 'direct' : `${kind.value}://${login}${host.value.trim()}`
        await api.post('/session/proxy', { URL: url, Check: isTested.value }, of(session))
        await onSaved()
      }}
    >
      <p class="hint">{t('session.proxyHint')}</p>
      <div class="proxy-address">
        <Field label={t('session.proxyKind')}>
          {(ties) => (
            <select
              {...ties}
              value={kind.value}
              onChange={({ currentTarget }) => (kind.value = currentTarget.value as Kind)}
            >
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {one === 'direct' ? t('session.proxyNone') : one.toUpperCase()}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isDirect
          ? null
          : text(t('session.proxyHost'), host, { placeholder: 'proxy.example:1080', autocomplete: 'off' })}
      </div>
      {isDirect ? null : (
        <>
          <div class="proxy-login">
            {text(t('session.proxyUser'), user, { autocomplete: 'off' })}
            {text(t('session.proxyPassword'), password, { type: 'password', autocomplete: 'new-password' })}
          </div>
          {proxy.hasLogin ? <p class="hint">{t('session.proxyAgain')}</p> : null}
          <label>
            <input
              type="checkbox"
              checked={isTested.value}
              onChange={({ currentTarget }) => (isTested.value = currentTarget.checked)}
            />{' '}
            {t('session.proxyTest')}
          </label>
        </>
      )}
    </FormDialog>
  )
}

function parse(url: string): Proxy {
  const parts = URL.canParse(url) ? new URL(url) : undefined
  const kind = KINDS.find((one) => parts?.protocol.replace('5h', '5') === `${one}:`) ?? 'direct'
  return { kind, host: parts?.host ?? '', hasLogin: Boolean(parts?.username) }
}
