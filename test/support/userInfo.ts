/** The global login of a folder, as tests read, follow and write it: the account `default` of a store that has no other. */
import type { UserInfoNews } from '../../config/user-info.ts'
import type { UserInfo } from '../../schemas/config.ts'
import { followsKeyOf } from '../../src/accounts/record.ts'
import { createUserInfoStore } from '../../src/cli/storedAccounts.ts'
import { isReadableByOthers } from '../../src/common/fileAccess.ts'
import type { Leftovers } from '../../src/common/privateFile.ts'

export interface GlobalLogin {
  /** Reads the file. */
  load (): Promise<UserInfo>
  get (): UserInfo
  /** Looks at the file until the returned function is called. */
  watch (news: UserInfoNews): () => void
  save (info: UserInfo): Promise<void>
  isExposed (): Promise<boolean>
  removeLeftovers (): Promise<Leftovers>
}

export function userInfoIn (folder: string): GlobalLogin {
  const store = createUserInfoStore(folder)
  const file = store.files.of('default')
  return {
    async load () {
      await store.refresh()
      store.assertUserInfo()
      return await file.content() ?? {}
    },
    get: () => store.get('default')?.login ?? {},
    watch (news) {
      store.followUserInfo(news)
      const looks = setInterval(() => { void store.refresh() }, 100)
      return () => { clearInterval(looks) }
    },
    save: async (info) => { await file.change(async (write) => { await write(info) }) },
    isExposed: async () => await isReadableByOthers(file.path),
    removeLeftovers: async () => await store.files.removeLeftovers('user-info', followsKeyOf)
  }
}
