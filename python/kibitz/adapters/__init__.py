"""Games and players of others: one module an adapter, `NAME:rest` in a spec asks for `NAME.load(rest)`."""
