"""Repair as a pure decision: runbooks, plans, who may approve what in which order. Nothing here touches a cluster."""
