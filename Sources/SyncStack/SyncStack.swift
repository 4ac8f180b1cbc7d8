@_exported public import SyncCore
@_exported public import SyncEngine
@_exported public import SyncGraph
@_exported public import SyncImport
@_exported public import SyncOutbox
@_exported public import SyncStore
