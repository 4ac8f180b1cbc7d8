import SyncStack
@main struct Tool { static func main() async {} }
