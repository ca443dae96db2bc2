"""Citation workbench: find, fetch and judge every citation in an AI's answer."""
