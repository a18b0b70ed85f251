import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, login } from '../../api.ts'
import type { Option } from '../../forms/combobox.tsx'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { isAdmin } from '../../parts/sessions.ts'
import { t } from '../../text.ts'
import { type Expiry, ExpiryChoice, endOf } from './expiry.tsx'
import { type KeyScope, type KeySession, readChats, SCOPES, toChat } from './key.ts'
import { Picker } from './picker.tsx'

type For = 'some' | 'label' | 'all'

interface CreateKeyProps {
  isOpen: boolean
  sessions: readonly KeySession[]
  /** Id of the session that it begins with; '' for none. */
  session: string
  onClose(): void
  onMade(key: string): Promise<void>
}

type Faults = Readonly<Partial<Record<'name' | 'scopes' | 'sessions' | 'label' | 'expiry', string>>>

/** A new key: what it may do, for which sessions and chats, and until when. */
export function CreateKey({ isOpen, sessions, session, onClose, onMade }: CreateKeyProps) {
  const name = useSignal('')
  const scopes = useSignal<readonly KeyScope[]>([])
  const kind = useSignal<For>('some')
  const chosen = useSignal<readonly Option[]>([])
  const label = useSignal('')
  const chats = useSignal<readonly Option[]>([])
  const known = useSignal<readonly Option[]>([])
  const expiry = useSignal<Expiry>({ choice: 'never', date: '' })
  /** Faults are named once somebody has tried to create the key, until they are corrected. */
  const isTried = useSignal(false)
  const options = sessions.map(toOption)
  // A key made with the token of a session is for that session.
  const own = isAdmin() ? '' : (login.value?.Session ?? '')
  const [first, ...others] = kind.value === 'some' ? chosen.value.map(({ value }) => value) : []
  const only = own || (others.length === 0 ? (first ?? '') : '')

  const isConnected = sessions.some(({ id, isOpen: isOpenNow }) => id === only && isOpenNow)

  useEffect(() => {
    if (!isOpen) return
    name.value = ''
    scopes.value = ['read', 'send']
    kind.value = 'some'
    chosen.value = sessions.filter(({ id }) => id === session).map(toOption)
    label.value = ''
    expiry.value = { choice: 'never', date: '' }
    isTried.value = false
  }, [isOpen, session])
  useEffect(() => {
    chats.value = []
  }, [isOpen, only])
  useEffect(() => {
    known.value = []
    if (!isOpen || !isConnected) return
    let isLeft = false
    void readChats(only).then((found) => {
      if (!isLeft) known.value = found
    })
    return () => {
      isLeft = true
    }
  }, [isOpen, only, isConnected])

  const end = endOf(expiry.value)
  const found: Faults = {
    ...(name.value.trim() ? {} : { name: t('keys.faultName') }),
    ...(scopes.value.length > 0 ? {} : { scopes: t('keys.faultScopes') }),
    ...(own || kind.value !== 'some' || first ? {} : { sessions: t('keys.faultSessions') }),
    ...(kind.value !== 'label' || /^[^:]+:./.test(label.value.trim()) ? {} : { label: t('keys.faultLabel') }),
    ...(end === undefined || end > Date.now() + 60_000 ? {} : { expiry: t('keys.faultExpiry') }),
  }
  const faults = isTried.value ? found : {}

  async function create(): Promise<void> {
    isTried.value = true
    if (Object.keys(found).length > 0) return
    const { Key } = await api.post('/keys', {
      Name: name.value.trim(),
      Scopes: [...scopes.value],
      ...choice(),
      ...(only && chats.value.length > 0 ? { Chats: chats.value.map(({ value }) => value) } : {}),
      ...(end === undefined ? {} : { ExpiresIn: Math.round((end - Date.now()) / 1000) }),
    })
    await onMade(Key)
  }
  function choice(): object {
    if (own) return {}
    if (kind.value === 'all') return { AllSessions: true }
    if (kind.value === 'label') return { Label: label.value.trim() }
    return { Sessions: chosen.value.map(({ value }) => value) }
  }

  return (
    <FormDialog
      title={t('keys.create')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('keys.createRun')}
      run={create}
    >
      <TextField
        label={t('keys.name')}
        hint={t('keys.nameHint')}
        error={faults.name ?? ''}
        value={name}
        maxLength={100}
      />
      {own ? null : (
        <fieldset class="stack-tight">
          <legend class="label">{t('keys.for')}</legend>
          <div class="expiry">
            {(['some', 'label', 'all'] as const).map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name="key-for"
                  checked={kind.value === one}
                  onChange={() => (kind.value = one)}
                />{' '}
                {t(`keys.for_${one}`)}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {!own && kind.value === 'some' ? (
        <Picker
          label={t('keys.sessions')}
          placeholder={t('keys.sessionsSearch')}
          options={options}
          chosen={chosen.value}
          error={faults.sessions ?? ''}
          onChange={(all) => (chosen.value = all)}
        />
      ) : null}
      {kind.value === 'label' ? (
        <TextField
          label={t('keys.label')}
          hint={t('keys.labelHint')}
          error={faults.label ?? ''}
          value={label}
          maxLength={400}
          placeholder="customer:acme"
          list="key-labels"
        />
      ) : null}
      <datalist id="key-labels">
        {[...new Set(sessions.flatMap(({ labels }) => labels))].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {only ? (
        <Picker
          label={t('keys.chats')}
          hint={t('keys.chatsHint')}
          placeholder={t('keys.chatsSearch')}
          options={known.value}
          chosen={chats.value}
          other={toChat}
          onChange={(all) => (chats.value = all)}
        />
      ) : null}
      <fieldset class="stack-tight">
        <legend class="label">{t('keys.scopes')}</legend>
        <div class="scopes">
          {SCOPES.filter((scope) => scope !== 'admin' || (!own && kind.value === 'all')).map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.value.includes(scope)}
                onChange={({ currentTarget }) => {
                  const rest = scopes.value.filter((one) => one !== scope)
                  scopes.value = currentTarget.checked ? [...rest, scope] : rest
                }}
              />
              <code>{scope}</code> <span class="muted">{t(`keys.scope_${scope}`)}</span>
            </label>
          ))}
        </div>
        <p class="hint hint-bad" role="alert">
          {faults.scopes}
        </p>
      </fieldset>
      <ExpiryChoice
        value={expiry.value}
        error={faults.expiry ?? ''}
        onChange={(value) => (expiry.value = value)}
      />
    </FormDialog>
  )
}

const toOption = ({ id, name }: KeySession): Option => ({
  value: id,
  title: name || id,
  detail: name ? id.slice(0, 8) : '',
})
